import path from 'node:path';
import { type RunRecord, TachoError } from '../../protocol/index.ts';
import { type RunFolder, runFolderAt } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import type { ActiveRuns } from './active-runs.ts';
import { failToStart } from './fail-to-start.ts';
import { RunQueue } from './run-queue.ts';
import { spawnSupervisor } from './spawn-supervisor.ts';

export interface DispatcherOptions {
  context: RunContext;
  /** The command that starts tacho, used to start supervisors. */
  command: readonly string[];
  slots: number;
  active: ActiveRuns;
  report: (error: unknown, place: string) => void;
  /** Whether the run waits for a repair turn that was left to the queue. */
  isRepairForQueue: (runId: string) => boolean;
}

/** A supervisor that dies this often before it begins is not restarted. */
const MAX_STARTS = 3;

/** Starts the runs that wait, in order, while slots are free. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #queue = new RunQueue();
  /** Started, but not seen running yet; each with a value that identifies its supervisor. */
  readonly #starting = new Map<string, object>();
  #closed = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  get waitingCount(): number {
    return this.#queue.length;
  }

  get runningCount(): number {
    // Recorded terminals and runs recorded by a command do not come from the queue.
    const running = this.#options.active
      .all()
      .filter(({ queue, status, live }) => queue !== undefined && status === 'running' && live !== null);
    return running.length + this.#starting.size;
  }

  /** 1 is next; null if not queued. */
  position(runId: string): number | null {
    return this.#queue.position(runId);
  }

  /** Queues a run whose record says so, and lets go of any other. */
  consider(record: RunRecord): void {
    const { run_id: runId, status, live } = record;
    // Its supervisor has begun and keeps the slot, or still seals the last attempt.
    if (status === 'queued' && live !== null) return;
    const place = status === 'queued' ? this.#placeOf(record) : null;
    if (!place) this.forget(runId);
    else if (this.position(runId) === null && !this.#starting.has(runId)) this.#queue.add({ runId, ...place });
  }

  /** A run that a command recorded has no place, unless that command died before the repair turn of the run. */
  #placeOf({ run_id, queue, updated_at }: RunRecord): { priority: number; at: string } | null {
    return queue ?? (this.#options.isRepairForQueue(run_id) ? { priority: 0, at: updated_at } : null);
  }

  forget(runId: string): void {
    this.#queue.remove(runId);
    this.#starting.delete(runId);
  }

  /** It keeps its slot if it was started. */
  removeFromQueue(runId: string): void {
    this.#queue.remove(runId);
  }

  dispatch(): void {
    const { context, slots } = this.#options;
    while (!this.#closed && this.#queue.length > 0 && this.runningCount < slots)
      this.#start(runFolderAt(path.join(context.home.runs, this.#queue.take()!)));
  }

  /** Starts nothing from now on. Supervisors keep running. */
  close(): void {
    this.#closed = true;
  }

  #start(folder: RunFolder, tries = 1): void {
    const supervisor = {};
    this.#starting.set(folder.runId, supervisor);
    spawnSupervisor(folder, this.#options, () => {
      const record = this.#refresh(folder);
      // A late end of the supervisor before it does not count.
      if (record?.status !== 'queued' || this.#starting.get(folder.runId) !== supervisor) return;
      // It ended before it was seen to begin: it was killed, or the machine lacked a resource.
      this.#starting.delete(folder.runId);
      // The next server starts it.
      if (this.#closed) return;
      if (tries < MAX_STARTS) this.#start(folder, tries + 1);
      else this.#giveUp(folder).catch((error: unknown) => this.#options.report(error, folder.path));
    });
  }

  /** For callbacks, whose errors would not be caught. */
  #refresh(folder: RunFolder): RunRecord | null {
    const { active, report } = this.#options;
    try {
      return active.refresh(folder);
    } catch (error) {
      report(error, folder.path);
      return active.get(folder.runId);
    }
  }

  async #giveUp(folder: RunFolder): Promise<void> {
    const error = new TachoError('TERMINAL_FAILED', `the supervisor died ${MAX_STARTS} times before it began`);
    await failToStart(folder, this.#options.context, error).catch(() => {});
    this.#options.active.refresh(folder);
  }
}
