import { createHash } from 'node:crypto';
import { type RunRequest, type RunView, TachoError } from '../../protocol/index.ts';
import type { StartKey, StartKeys } from './start-keys.ts';

export interface StartedRun {
  run: RunView;
  /** An earlier request with the same key started it. */
  repeated: boolean;
}

export interface StartActions {
  /** Calls `announce` with the id of the run before anything of it is on disk. */
  create(input: RunRequest, announce: (runId: string) => void): Promise<RunView>;
  exists(runId: string): boolean;
  get(runId: string): Promise<RunView>;
}

/**
 * Starts one run per key, however often the request is sent. The key is on disk before the run, so a server that dies
 * in between leaves either both or a key without a run, which does not count.
 */
export class StartOnce {
  readonly #keys: StartKeys;
  readonly #actions: StartActions;
  readonly #underWay = new Map<string, { request: string; started: Promise<RunView> }>();

  constructor(keys: StartKeys, actions: StartActions) {
    this.#keys = keys;
    this.#actions = actions;
  }

  async start(givenKey: string, input: RunRequest): Promise<StartedRun> {
    const key = sha256(givenKey);
    const request = sha256(JSON.stringify(input, withSortedKeys));
    const underWay = this.#underWay.get(key);
    if (underWay) {
      checkSame(givenKey, underWay, request);
      return { run: await underWay.started, repeated: true };
    }
    const known = this.#keys.get(key);
    if (known && this.#counts(known)) {
      checkSame(givenKey, known, request);
      return { run: await this.#actions.get(known.run_id), repeated: true };
    }
    const started = this.#create(input, { key, request });
    this.#underWay.set(key, { request, started });
    try {
      return { run: await started, repeated: false };
    } finally {
      this.#underWay.delete(key);
    }
  }

  /** An accepted run counts even after its removal: it must not be started a second time. */
  #counts({ pending, run_id }: StartKey): boolean {
    return !pending || this.#actions.exists(run_id);
  }

  async #create(input: RunRequest, named: Pick<StartKey, 'key' | 'request'>): Promise<RunView> {
    const at = new Date().toISOString();
    const run = await this.#actions.create(input, (run_id) => this.#keys.put({ ...named, run_id, at, pending: true }));
    this.#keys.put({ ...named, run_id: run.run_id, at, pending: false });
    return run;
  }
}

function checkSame(key: string, earlier: { request: string }, request: string): void {
  if (earlier.request === request) return;
  throw new TachoError('IDEMPOTENCY_CONFLICT', `the key "${key}" was used for a different run request`, {
    fix: 'Use a new key for each new run.',
  });
}

/** Requests with the same content are the same, whatever the order of their fields. */
function withSortedKeys(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
