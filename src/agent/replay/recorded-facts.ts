import type { AgentData, AgentEvent } from '../../protocol/index.ts';
import type { HookOutcome, HookRunner, Intents, SpecChanges } from '../loop/effects.ts';
import type { PromptPiece } from '../prompt/pieces.ts';
import type { LogCursor } from './log-cursor.ts';

/** What the loop asks about the world and gets at once: the answer follows from what the log has next. */

export function recordedRandom({ next }: LogCursor): number {
  return next?.type === 'llm_request_failed' ? (next.data.retry?.random ?? 0) : 0;
}

/** Whether somebody could be asked at this point. */
export function hadPeople({ events, at }: LogCursor): boolean {
  for (let index = at; index < events.length; index++) {
    const event = events[index]!;
    if (event.type === 'run_failed') return event.data.reason !== 'config_error';
    if (event.type !== 'tool_call_finished') return true;
    if (event.data.result.error_kind === 'unavailable') return false;
  }
  return true;
}

/** The beginning of the prompt, as it was compiled then. */
export function recordedHead(cursor: LogCursor): PromptPiece[][] {
  const { events, at } = cursor;
  const index = events.findIndex(({ type }, place) => place >= at && type === 'prompt_compiled');
  if (index < 0) return [];
  const { system, sources } = cursor.exact(events[index] as AgentEvent<'prompt_compiled'>);
  return (system ?? []).map((text, message) =>
    sources
      .filter((source) => source.message === message)
      .map(({ from, to, source }) => ({ text: text.slice(from, to), source })),
  );
}

export function exhaustedTree({ next }: LogCursor): AgentData<'budget_exhausted'> | null {
  return next?.type === 'budget_exhausted' && next.data.scope === 'tree' ? next.data : null;
}

export function recordedIntents(cursor: LogCursor): Intents {
  return {
    mark: () => Promise.resolve(),
    isMarked: (id) => {
      const { next } = cursor;
      if (next?.type !== 'tool_call_finished' || id !== `${next.data.step}.${next.data.call_id}`) return false;
      return next.data.result.error_kind === 'unknown_outcome';
    },
  };
}

/** What the server of a tool had when the call was requested. */
export function recordedChanges(cursor: LogCursor, callId: string): SpecChanges | null {
  for (let { at } = cursor; ; at++) {
    const event = cursor.events[at];
    if (!event || event.type === 'run_resumed') return null;
    if (event.type === 'tool_call_requested' && event.data.call_id === callId)
      return cursor.exact(event).changed ?? null;
  }
}

export function recordedHooks(cursor: LogCursor): HookRunner {
  return {
    /** Without hooks, calls are requested together with the response. */
    get isEmpty() {
      const { next, events, at } = cursor;
      return next?.type === 'llm_response_completed' && events[at + 1]?.type === 'tool_call_requested';
    },
    before: ({ id }) => Promise.resolve(hookOutcomes(cursor, id, 'before')),
    after: ({ id }) => Promise.resolve(hookOutcomes(cursor, id, 'after')),
  };
}

function hookOutcomes(cursor: LogCursor, callId: string, phase: 'before' | 'after'): HookOutcome[] {
  const outcomes: HookOutcome[] = [];
  for (let { at } = cursor; ; at++) {
    const event = cursor.events[at];
    if (event?.type !== 'hook_decided' || event.data.call_id !== callId || event.data.phase !== phase) return outcomes;
    const { hook, outcome, reason, value } = cursor.exact(event);
    outcomes.push(outcome === 'changed' ? { hook, outcome, value, reason } : { hook, outcome, reason: reason ?? '' });
  }
}
