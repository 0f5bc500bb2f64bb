import type { Drafter, DraftOptions } from '../drafter.ts';
import { fieldOf, integerOf, type JsonObject, textOf } from '../json-value.ts';
import { RecentMap } from '../recent-map.ts';

/** One agent run in a log: that of the session, or that of a child agent. */
export interface LoggedRun {
  id: string;
  isSession: boolean;
  /** Null until a line names it. */
  workspace: string | null;
  /** Ids of a run's own things, such as messages; those of child agents must not be mistaken for others. */
  idOf(own: string): string;
  /** Of a child: the tool call inside which everything of it happened. */
  about(correlation?: NonNullable<DraftOptions['correlation']>): DraftOptions;
  /** How often the current request to the model was sent. */
  tries: number;
  /** The last line of it; a line of a child may be printed twice. */
  lastSeq: number;
  /** Ids of its tool calls as events have them, by those that the log has. */
  calls: RecentMap<string, string>;
}

export interface LoggedRuns {
  /** The run that a line belongs to; null if it does not say. */
  of(line: JsonObject): LoggedRun | null;
  /** A child names the call that started it. */
  link(run: LoggedRun, parent: unknown): void;
}

/** The first run of a log is the session; all others work for it. */
export function createLoggedRuns(draft: Drafter): LoggedRuns {
  const runs = new RecentMap<string, LoggedRun & { parent: string | null }>();
  let session: LoggedRun | null = null;

  function open(id: string): LoggedRun {
    const isSession = session === null || session.id === id;
    const run: LoggedRun & { parent: string | null } = {
      id,
      isSession,
      workspace: null,
      parent: isSession ? null : draft.attemptId(id),
      idOf: (own) => draft.attemptId(isSession ? own : `${id}/${own}`),
      about: (correlation = {}) => ({
        correlation: run.parent === null ? correlation : { ...correlation, parent: run.parent },
      }),
      tries: 1,
      lastSeq: 0,
      calls: new RecentMap(),
    };
    session ??= run;
    runs.set(id, run);
    return run;
  }

  return {
    of(line) {
      const id = textOf(line.run_id);
      if (id === null || !/^agent\/1\./.test(textOf(line.protocol_version) ?? '')) return null;
      const known = id === session?.id ? session : runs.get(id);
      return known ?? open(id);
    },
    link(run, parent) {
      const known = runs.get(run.id);
      const callId = textOf(fieldOf(parent, 'call_id'));
      if (!known || run.isSession || callId === null) return;
      const owner = runs.get(textOf(fieldOf(parent, 'run_id')) ?? '') ?? session;
      known.parent = owner?.calls.get(callId) ?? draft.attemptId(callId);
    },
  };
}

/** Whether a line of a child was read before: those that follow a restart may be printed again. */
export function isRepeated(run: LoggedRun, line: JsonObject): boolean {
  const seq = integerOf(line.seq);
  if (seq === null || run.isSession) return false;
  if (seq <= run.lastSeq) return true;
  run.lastSeq = seq;
  return false;
}
