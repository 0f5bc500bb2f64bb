import type { Usage } from '../../protocol/index.ts';
import { createDeltas } from '../deltas.ts';
import { fieldOf, integerOf, isObject, type JsonObject, listOf, numberOf, textOf } from '../json-value.ts';
import type { Surface } from '../line-parser.ts';
import { type EventReader, type Misread, unknownFields } from '../ndjson-parser.ts';
import { createQuietPhases } from '../stream-json/quiet-phases.ts';
import { createThoughts } from '../thoughts.ts';
import type { Unit } from '../unit.ts';
import { createUsageSum } from '../usage-sum.ts';
import { DATA_FIELDS, isLogEventType, LINE_FIELDS, type LogEventType } from './fields.ts';
import { createInteractionReader } from './interactions.ts';
import { createLoggedRuns, isRepeated, type LoggedRun } from './runs.ts';
import { createToolReader } from './tools.ts';
import { createTroubleReader } from './troubles.ts';

const AMOUNTS: ReadonlySet<string> = new Set([
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'total_tokens',
]);

/**
 * The log of our own agent (`src/protocol/agent/agent-event.ts`): what its program prints, and what it keeps beside a
 * workspace. Lines of child agents stand between those of the session.
 */
export function readAgentEvents({ draft, wait }: Surface): EventReader {
  const deltas = createDeltas(draft);
  const quiet = createQuietPhases(draft);
  const thoughts = createThoughts(draft, () => quiet.flush());
  const runs = createLoggedRuns(draft);
  const tools = createToolReader(draft);
  const troubles = createTroubleReader(draft);
  const readInteraction = createInteractionReader(draft);
  const addUsage = createUsageSum();
  wait(deltas);
  wait(quiet);

  function event(line: JsonObject, unit: Unit): Misread | null {
    const type = textOf(line.type) ?? '';
    const run = runs.of(line);
    // Something new between pieces of a thought does not end it.
    if (!run || !isLogEventType(type)) return { event_type: type, problem: run ? 'unknown type' : 'unexpected shape' };
    if (isRepeated(run, line)) {
      flush();
      phase(`${type}.repeated`, run, unit);
      return null;
    }
    if (type !== 'llm_response_delta') {
      deltas.flush();
      thoughts.flush();
    }
    const { data } = line;
    if (!isObject(data) || !read(type, data, run, unit)) {
      flush();
      return { event_type: type, problem: 'unexpected shape' };
    }
    return unknownFields(type, data, DATA_FIELDS[type]!) ?? unknownFields(type, line, LINE_FIELDS);
  }

  function flush(): void {
    deltas.flush();
    thoughts.flush();
    quiet.flush();
  }

  function phase(name: string, run: LoggedRun, unit: Unit, more: { usage?: Usage } = {}): void {
    // Phases of a child must not begin or end the turn of the session.
    const own = run.isSession ? name : `child.${name}`;
    draft.event('lifecycle.run.status', { status: 'running', phase: own, ...more }, unit, run.about());
  }

  function read(type: LogEventType, data: JsonObject, run: LoggedRun, unit: Unit): boolean {
    switch (type) {
      case 'prompt_compiled':
      case 'history_message':
      case 'child_charged':
      case 'cancel_requested':
      case 'close_requested':
      case 'run_forked':
        quiet.add(type, unit);
        return true;
      case 'llm_request_started':
        run.tries = integerOf(data.try) ?? 1;
        quiet.add(type, unit);
        return true;
      case 'tool_call_requested':
        quiet.add(type, unit);
        return tools.wanted(data, run);
      case 'llm_response_delta':
        return readDelta(data, run, unit);
    }
    quiet.flush();
    switch (type) {
      case 'run_started':
      case 'run_resumed':
        return readBeginning(type, data, run, unit);
      case 'user_message':
        return readUserMessage(data, run, unit);
      case 'llm_response_completed':
        return readResponse(data, run, unit);
      case 'llm_request_failed':
        return troubles.request(data, run, unit);
      case 'tool_call_started':
        return tools.started(data, run, unit);
      case 'tool_call_finished':
        return tools.finished(data, run, unit);
      case 'approval_requested':
      case 'approval_decided':
      case 'question_asked':
      case 'question_answered':
        return readInteraction(type, data, run, unit);
      case 'history_compacted':
        troubles.notice(type, data, run, unit);
        count(type, data, run, unit);
        return true;
      case 'history_trimmed':
      case 'guard_tripped':
      case 'budget_exhausted':
      case 'output_rejected':
      case 'hook_decided':
        troubles.notice(type, data, run, unit);
        return true;
      case 'run_waiting':
        phase(`run_waiting.${waitsFor(data)}`, run, unit);
        return Array.isArray(data.approvals) && Array.isArray(data.questions);
      case 'run_failed': {
        const isWhole = troubles.end(data, run, unit);
        phase(type, run, unit);
        return isWhole;
      }
      case 'run_completed':
      case 'run_cancelled':
        phase(type, run, unit);
        return true;
    }
  }

  function readBeginning(type: string, data: JsonObject, run: LoggedRun, unit: Unit): boolean {
    run.workspace = textOf(data.workspace) ?? run.workspace;
    const model = textOf(data.model);
    if (run.isSession) draft.openSession(run.id, type, unit, model === null ? {} : { model });
    else {
      runs.link(run, data.parent);
      phase(type, run, unit);
    }
    return model !== null;
  }

  /** What people said to a child is what its parent wrote. */
  function readUserMessage(data: JsonObject, run: LoggedRun, unit: Unit): boolean {
    const text = textOf(data.text);
    if (text === null) return false;
    if (run.isSession && data.origin !== 'notice') draft.userMessage(text, 'user_message', unit);
    else phase('user_message', run, unit);
    return true;
  }

  function messageId(run: LoggedRun, step: number, part: number): string {
    // What a request that failed had said before is not part of the next one.
    return run.idOf(`${step}.${run.tries}.${part}`);
  }

  function readDelta({ step, part, kind, text }: JsonObject, run: LoggedRun, unit: Unit): boolean {
    const [stepNumber, partNumber, piece] = [integerOf(step), integerOf(part), textOf(text)];
    if (stepNumber === null || partNumber === null || piece === null) return false;
    const id = messageId(run, stepNumber, partNumber);
    if (kind !== 'text') deltas.flush();
    if (kind !== 'reasoning') thoughts.flush();
    if (kind === 'text') {
      quiet.flush();
      deltas.add(id, piece, unit, run.about());
    } else if (kind === 'reasoning') thoughts.add(id, piece, unit, run.about());
    else quiet.add('tool_arguments', unit);
    return kind === 'text' || kind === 'reasoning' || kind === 'tool_arguments';
  }

  function readResponse(data: JsonObject, run: LoggedRun, unit: Unit): boolean {
    const step = integerOf(data.step);
    if (step === null || !Array.isArray(data.parts)) return false;
    let isKnown = true;
    listOf(data.parts).forEach((part, index) => {
      const type = textOf(fieldOf(part, 'type'));
      const text = textOf(fieldOf(part, 'text')) ?? '';
      const id = messageId(run, step, index);
      if (type === 'text') {
        if (text.trim() !== '') draft.final(id, text, unit, run.about());
      } else if (type === 'reasoning') {
        if (text.trim() !== '') thoughts.finish(id, text, unit, run.about());
      } else if (type === 'tool_call') {
        if (!tools.wanted({ ...(part as JsonObject), step }, run)) isKnown = false;
      } else isKnown = false;
    });
    count('llm_response_completed', data, run, unit);
    return isKnown;
  }

  /** Use by child agents is part of what the attempt has used. */
  function count(name: string, { usage, cost_usd }: JsonObject, run: LoggedRun, unit: Unit): void {
    const cost = numberOf(cost_usd);
    const amounts = isObject(usage) ? Object.entries(usage).filter(([amount]) => AMOUNTS.has(amount)) : null;
    const used = amounts && addUsage({ ...Object.fromEntries(amounts), ...(cost === null ? {} : { cost_usd: cost }) });
    phase(name, run, unit, used === null ? {} : { usage: used });
  }

  return { event, end: flush, identity: (line) => `${String(line.run_id)} ${String(line.seq)} ${String(line.type)}` };
}

/** A question comes first: its answer continues the run, which then asks again for the approval. */
function waitsFor({ approvals, questions }: JsonObject): 'question' | 'approval' | 'nothing' {
  if (listOf(questions).length > 0) return 'question';
  return listOf(approvals).length > 0 ? 'approval' : 'nothing';
}
