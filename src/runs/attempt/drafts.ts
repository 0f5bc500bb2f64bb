import {
  type CommandResult,
  type Completion,
  type DeliveredSkill,
  DIAGNOSTIC_CODES,
  type DiagnosticCode,
  type FsChange,
  type FsDiff,
  type RaspData,
  type RaspDraft,
  type RaspType,
  type RawStream,
  type RunStatus,
  type SettingsFrom,
  type TachoError,
} from '../../protocol/index.ts';

import type { Attribution } from './correlation/attribute-change.ts';

/** Events that tacho itself creates, as opposed to events parsed from output. */
export interface DraftContext {
  attempt: number;
  engine: string;
}

const TACHO_PARSER = 'tacho';

export function statusDraft(
  context: DraftContext,
  ts: string,
  status: RunStatus,
  more: Omit<RaspData<'lifecycle.run.status'>, 'status'> = {},
): RaspDraft {
  return draft(context, ts, 'lifecycle.run.status', { status, ...more });
}

/** The message sent to an engine in an attempt, without the values of secrets. */
interface Said {
  text: string;
  answers?: Record<string, string> | undefined;
  interaction_id: string | null;
  session: string | null;
  /** It is the repair turn: tacho says it, not a person. */
  repair?: object | undefined;
  /** Identifies a repeated reply. */
  idempotency?: { key: string; digest: string };
}

/** The first events of an attempt: the message to the engine, and the status `running`. */
export function openingDrafts(
  context: DraftContext,
  ts: string,
  said: Said | null,
  { announced, requested }: { announced: boolean; requested: RaspData<'lifecycle.run.requested'> },
): RaspDraft[] {
  const running = statusDraft(context, ts, 'running', { phase: phaseOf(context, said) });
  return announced ? [running] : [...announcingDrafts(context, ts, said, requested), running];
}

/** What an attempt is told, as it may be recorded. */
export function shownOrder<T extends Pick<Said, 'answers'>>(
  order: T,
  text: string,
  hideSecrets: (text: string) => string,
): T & { text: string } {
  const answers = Object.entries(order.answers ?? {}).map(([id, answer]) => [id, hideSecrets(answer)]);
  return { ...order, text: hideSecrets(text), ...(order.answers ? { answers: Object.fromEntries(answers) } : {}) };
}

function phaseOf({ attempt }: DraftContext, said: Said | null): string {
  if (said) return said.session === null ? 'started' : 'resumed';
  return attempt === 1 ? 'started' : 'reopened';
}

/** Announces a queued attempt: its request, and the message to the engine. */
export function announcingDrafts(
  context: DraftContext,
  ts: string,
  said: Said | null,
  requested: RaspData<'lifecycle.run.requested'>,
): RaspDraft[] {
  const first = context.attempt === 1;
  const asked = requestedDraft(context, ts, requested);
  if (!said) return [asked];
  const answers = said.interaction_id !== null;
  const reply = draft(context, ts, 'interaction.reply.accepted', {
    interaction_id: said.interaction_id ?? `${context.attempt}.prompt`,
    text: said.text,
    ...(said.answers ? { answers: said.answers } : {}),
    source: said.repair ? 'repair' : answers ? 'reply' : 'prompt',
    ...(said.idempotency ? { idempotency: said.idempotency } : {}),
  });
  // The attempt before has announced it with the status `queued`.
  if (said.repair) return [asked, reply];
  const reason = first ? 'requested' : answers ? 'reply_accepted' : 'reopened';
  return [asked, statusDraft(context, ts, 'queued', { reason_code: reason }), reply];
}

export function requestedDraft(
  context: DraftContext,
  ts: string,
  requested: RaspData<'lifecycle.run.requested'>,
): RaspDraft {
  return draft(context, ts, 'lifecycle.run.requested', requested);
}

export function skillsDraft(context: DraftContext, ts: string, skills: DeliveredSkill[]): RaspDraft {
  return draft(context, ts, 'lifecycle.run.skills', { skills });
}

/** The question that ended an attempt: the assistant's last message, never a placeholder. */
export function questionDraft(context: DraftContext, ts: string, prompt: string): RaspDraft {
  return draft(context, ts, 'interaction.user_input.required', {
    interaction_id: interactionId(context.attempt),
    kind: 'free_text',
    prompt,
  });
}

/** Id of the one question an attempt can end with. A reply with another attempt's id is stale. */
export function interactionId(attempt: number): string {
  return `${attempt}.1`;
}

export function completionDraft(
  context: DraftContext,
  ts: string,
  completion: Completion,
  { exit_code, signal }: { exit_code: number | null; signal: string | null },
): RaspDraft {
  const { rule: _rule, evidence: _evidence, ...data } = completion;
  return draft(context, ts, 'lifecycle.completion.state', { ...data, exit_code, signal });
}

export function checkpointDraft(
  context: DraftContext,
  ts: string,
  checkpoint: { stream: RawStream; bytes: number; sha256: string },
): RaspDraft {
  return draft(context, ts, 'lifecycle.recording.checkpoint', checkpoint);
}

/** A command that a user or a program runs in a recorded shell. */
export function commandStartedDraft(
  context: DraftContext,
  ts: string,
  call: { id: string; command: string },
): RaspDraft {
  const data = { call_id: call.id, name: 'shell', kind: 'command' as const, arguments: { command: call.command } };
  return { ...draft(context, ts, 'tool.call.started', data), correlation: { call_id: call.id } };
}

/** References the bytes it printed: a session's streams are recorded from their first byte, so cursors are offsets. */
export function commandEndedDraft(context: DraftContext, ts: string, result: CommandResult): RaspDraft {
  const { exec_id, exit_code, duration_ms, timed_out, canceled } = result;
  const why = timed_out ? 'timed_out' : canceled ? 'canceled' : null;
  const data = {
    call_id: exec_id,
    name: 'shell',
    kind: 'command' as const,
    exit_code,
    duration_ms: Math.round(duration_ms),
    ...(why ? { result: why } : {}),
  };
  const printed = (['stdout', 'stderr'] as const).map((stream) => ({
    attempt_number: context.attempt,
    stream,
    byte_from: result[stream].from,
    byte_to: result[stream].to,
  }));
  const ranges = printed.filter(({ byte_from, byte_to }) => byte_from < byte_to);
  const type = exit_code === 0 && !why ? 'tool.call.completed' : 'tool.call.failed';
  return {
    ...draft(context, ts, type, data),
    correlation: { call_id: exec_id },
    raw_ref: ranges.length === 0 ? null : ranges,
  };
}

/** A warning about the recording itself, with the default text of its code unless given. */
export function warningDraft(
  context: DraftContext,
  ts: string,
  code: DiagnosticCode,
  details: { message?: string; [fact: string]: unknown } = {},
): RaspDraft {
  const { message = DIAGNOSTIC_CODES[code], ...facts } = details;
  return draft(context, ts, 'diagnostic.runtime.warning', { code, message, severity: 'warning', ...facts });
}

/** Warnings about ignored settings of an untrusted workspace. */
export function ignoredSettingsDrafts(
  context: DraftContext,
  ts: string,
  settings: readonly SettingsFrom[],
): RaspDraft[] {
  const ignored = settings.filter(({ from }) => from === 'workspace_ignored');
  if (ignored.length === 0) return [];
  const files = ignored.map(({ file = '', keys }) => ({ file, keys }));
  const list = files.map(({ file, keys }) => `${keys.join(', ')} of ${file}`).join('; ');
  const message = `${DIAGNOSTIC_CODES.SETTINGS_UNTRUSTED} To look at them and allow them: tacho trust. (${list})`;
  return [warningDraft(context, ts, 'SETTINGS_UNTRUSTED', { message, files })];
}

/** A failed step of the recording itself. */
export function failureDraft(context: DraftContext, ts: string, step: string, error: TachoError): RaspDraft {
  return draft(context, ts, 'diagnostic.runtime.warning', { ...recordedError(error), severity: 'error', step });
}

/** An error for the record, with its fix if any. */
export function recordedError({ code, message, fix }: TachoError): { code: string; message: string; fix?: string } {
  return { code, message, ...(fix === undefined ? {} : { fix }) };
}

/** One event per changed path, except for paths that tacho itself created. */
export function artifactDrafts(
  context: DraftContext,
  ts: string,
  diff: FsDiff,
  { hideSecrets, attribute }: { hideSecrets(text: string): string; attribute(change: FsChange): Attribution | null },
): RaspDraft[] {
  const drafts: RaspDraft[] = [];
  const kinds = { created: 'artifact.created', modified: 'artifact.modified', deleted: 'artifact.deleted' } as const;
  for (const kind of ['created', 'modified', 'deleted'] as const) {
    for (const change of diff[kind]) {
      if (change.injected) continue;
      const entry = change.after ?? change.before;
      const data = {
        path: hideSecrets(change.path),
        size: entry?.size ?? null,
        sha256: entry?.sha256 ?? null,
        kind: change.type,
      };
      const found = attribute(change);
      drafts.push(
        found
          ? {
              ...draft(context, ts, kinds[kind], { ...data, changed_by: changedBy(found) }),
              correlation: { call_id: found.call_id },
            }
          : draft(context, ts, kinds[kind], data),
      );
    }
  }
  return drafts;
}

function changedBy({ call_id, by, confidence }: Attribution): RaspData<'artifact.created'>['changed_by'] {
  return { call_id, by, confidence };
}

function draft<T extends RaspType>(context: DraftContext, ts: string, type: T, data: RaspData<T>): RaspDraft {
  return {
    ts,
    attempt_number: context.attempt,
    source: { engine: context.engine, parser: TACHO_PARSER, stream: null, confidence: 1 },
    event: { category: type.slice(0, type.indexOf('.')), type },
    data,
    correlation: {},
    raw_ref: null,
  } as unknown as RaspDraft;
}
