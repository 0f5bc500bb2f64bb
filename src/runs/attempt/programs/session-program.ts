import type { CommandResult, EndedByUs, SessionEndReason, SessionInfo, StreamName } from '../../../protocol/index.ts';
import { TachoError } from '../../../protocol/index.ts';
import type { RecordedSession, SessionControl, SessionRecording, TerminalEnd } from '../../../terminal/index.ts';
import type { ControlServer } from '../../control/control-server.ts';
import type { Attempt } from '../attempt.ts';
import { commandEndedDraft, commandStartedDraft } from '../drafts.ts';
import type { Program, ProgramEnd, ProgramHost } from './program.ts';

const ENDED_BY_US: Partial<Record<SessionEndReason, EndedByUs>> = {
  destroyed: 'canceled',
  idle: 'no_progress',
  stuck: 'no_progress',
  life: 'hard_timeout',
  failed: 'recording_failed',
};

interface SessionProgramOptions {
  session: RecordedSession;
  attempt: Attempt;
  control: ControlServer;
  /** The record could not be completed here; recovery completes it. */
  onTrouble(error: unknown): void;
}

/** A session that the terminal runtime starts and ends; the attempt only receives its events. */
export class SessionProgram implements Program, SessionRecording {
  readonly #options: SessionProgramOptions;
  #host: ProgramHost | null = null;
  #session: SessionControl | null = null;
  #endEarly: EndedByUs | null = null;

  constructor(options: SessionProgramOptions) {
    this.#options = options;
  }

  get runId(): string {
    return this.#options.attempt.run.folder.runId;
  }

  start(host: ProgramHost): void {
    this.#host = host;
  }

  pause(): void {
    this.#session?.pause();
  }

  resume(): void {
    this.#session?.resume();
  }

  end(reason: EndedByUs): void {
    this.#endEarly = reason;
    this.#session?.end(reason === 'canceled' ? 'canceled' : 'unrecorded');
  }

  close(): void {}

  started(session: SessionControl): void {
    this.#session = session;
    this.#host?.started(session.pid);
    this.#options.control.attach({
      write: async (bytes) => session.write(bytes),
      resize: (cols, rows) => session.resize(cols, rows),
      cancel: () => this.#host?.end('canceled'),
    });
    if (this.#endEarly) this.end(this.#endEarly);
  }

  output(stream: StreamName, bytes: Buffer): void {
    this.#host?.output(stream === 'stdout' ? 'a' : 'b', bytes);
  }

  input(bytes: Buffer): void {
    this.#host?.input(bytes);
  }

  resized(cols: number, rows: number): void {
    this.#host?.resize(cols, rows);
  }

  commandBegan({ execId, text }: { execId: string; text: string }): void {
    const { attempt } = this.#options;
    const call = { id: execId, command: attempt.facts.hideSecrets(text) };
    attempt.event(commandStartedDraft(attempt.drafts, attempt.now, call));
  }

  commandEnded(result: CommandResult): void {
    const { attempt } = this.#options;
    attempt.event(commandEndedDraft(attempt.drafts, attempt.now, result));
  }

  async finish(end: SessionInfo['end'], terminal: TerminalEnd | null, error?: unknown): Promise<boolean> {
    const { attempt, onTrouble } = this.#options;
    const finished = await attempt.finish(end ? this.#endOf(end, terminal) : neverRan(this.#options.session, error));
    if (!finished.sealed) onTrouble(finished.error);
    return finished.sealed;
  }

  #endOf({ exit_code, signal, reason }: NonNullable<SessionInfo['end']>, terminal: TerminalEnd | null): ProgramEnd {
    const { cols, rows } = this.#options.session;
    return {
      exit_code,
      signal,
      endedByUs: ENDED_BY_US[reason] ?? null,
      ...(terminal ? { terminal: { ...terminal, cols, rows } } : {}),
    };
  }
}

function neverRan({ argv }: RecordedSession, cause: unknown): ProgramEnd {
  const error =
    cause instanceof TachoError
      ? cause
      : new TachoError('COMMAND_UNAVAILABLE', `${argv[0]} could not be started`, {
          facts: { program: argv[0] },
          cause,
        });
  return { exit_code: null, signal: null, error };
}
