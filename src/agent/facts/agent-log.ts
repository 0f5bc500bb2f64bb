import { errnoOf } from '../../files/index.ts';
import { isLocked } from '../../journal/index.ts';
import { type AgentStatus, TachoError } from '../../protocol/index.ts';
import type { AgentState } from '../state/state.ts';
import { type RunPaths, runPaths } from '../wal/run-folder.ts';
import { FactsFold } from './fold-facts.ts';
import { LogLines, type LogProblem } from './log-lines.ts';

/** What the log of a run says so far. Each update reads what is new only. */
export class AgentLog {
  readonly workspaceRoot: string;
  readonly paths: RunPaths;
  readonly #lines: LogLines;
  #facts: FactsFold;
  #updating: Promise<void> = Promise.resolve();

  constructor(workspaceRoot: string, runId: string) {
    this.workspaceRoot = workspaceRoot;
    this.paths = runPaths(workspaceRoot, runId);
    this.#lines = new LogLines(workspaceRoot, this.paths);
    this.#facts = new FactsFold(runId);
  }

  get facts(): FactsFold {
    return this.#facts;
  }

  get problem(): LogProblem | null {
    return this.#lines.problem;
  }

  /** Whether a process has the run open. */
  get held(): boolean {
    return isLocked(this.paths.folder);
  }

  /** Throws RUN_NOT_FOUND if there is no such run. Of several callers each gets what was there when it called. */
  update(): Promise<void> {
    const next = this.#updating.then(() => this.#read());
    this.#updating = next.catch(() => {});
    return next;
  }

  get status(): AgentStatus {
    const { state } = this.#facts;
    if (state.status !== 'running') return state.status;
    if (!this.held) return 'interrupted';
    return isAsking(state) ? 'waiting' : 'running';
  }

  async #read(): Promise<void> {
    const facts = () => this.#facts;
    const reading = this.#lines.read({
      restart: () => {
        this.#facts = new FactsFold(this.paths.runId);
      },
      event: (event, place) => facts().event(event, place),
      skipped: (seq, ts) => facts().skipped(seq, ts),
      get isFull() {
        return facts().isFull;
      },
    });
    await reading.catch((error) => {
      throw unreadable(error, this.paths);
    });
  }
}

/** Whether it waits for a person while its process keeps running. */
function isAsking({ turn, compactionQuestion }: AgentState): boolean {
  const isOpen = (asked: { answer: unknown } | null) => asked !== null && asked.answer === null;
  return (
    isOpen(compactionQuestion) ||
    turn.some(({ result, approval, question }) => result === null && (isOpen(approval) || isOpen(question)))
  );
}

/** The workspace may have anything where a log should be. */
function unreadable(error: unknown, { runId, log }: RunPaths): unknown {
  const isKnown = error instanceof TachoError ? error.code === 'DATA_FOLDER_UNWRITABLE' : errnoOf(error) !== undefined;
  if (!isKnown) return error;
  const why = errnoOf(error) === 'ENOENT' ? 'it is missing' : (error as Error).message;
  return new TachoError('RUN_NOT_FOUND', `the log of the run "${runId}" cannot be read: ${why}`, {
    facts: { run_id: runId, path: log },
    cause: error,
  });
}
