import fs from 'node:fs';
import path from 'node:path';
import { createOnce, errnoOf, pollUntil, readRegularFile, watchFolder } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const REQUEST = '.request.json';
const DECISION = '.decision.json';
const MAX_BYTES = 4 * 1024 * 1024;
/** The net under the watch of the folder. */
const POLL_INTERVAL_MS = 2000;

export interface DecisionFolderOptions<Request, Decision> {
  /** Both throw if the content of a file is not what it should be. */
  readRequest(value: unknown): Request;
  readDecision(value: unknown): Decision;
}

/**
 * Requests, one file each, and decisions, one file each, private to the user. A decision is created, never replaced: of
 * two concurrent decisions one wins, and the other caller gets the winning one. Other programs may be able to write to
 * the folder, so its files may be anything.
 */
export class DecisionFolder<Request, Decision> {
  readonly folder: string;
  readonly #options: DecisionFolderOptions<Request, Decision>;

  constructor(folder: string, options: DecisionFolderOptions<Request, Decision>) {
    this.folder = folder;
    this.#options = options;
  }

  /** False if there is a request with this id, which stays as it is. */
  add(id: string, request: Request): boolean {
    fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    return createJson(this.requestFile(id), request);
  }

  /** Throws if there is none, or it cannot be read. */
  request(id: string): Request {
    const value = readJson(this.requestFile(id));
    if (value === undefined) throw notFound(id);
    return this.#options.readRequest(value);
  }

  /** Null if there is none yet; throws if it cannot be read. */
  decision(id: string): Decision | null {
    const value = readJson(this.#file(id, DECISION));
    return value === undefined ? null : this.#options.readDecision(value);
  }

  /** Of several decisions the first one counts. True if it is this one. */
  decide(id: string, decision: Decision): boolean {
    return createJson(this.#file(id, DECISION), decision);
  }

  /** Names of files that look like requests. */
  ids(): string[] {
    let names: string[];
    try {
      names = fs.readdirSync(this.folder);
    } catch {
      return []; // There are no requests yet.
    }
    return names.filter((name) => name.endsWith(REQUEST)).map((name) => name.slice(0, -REQUEST.length));
  }

  /** Waits until `look` finds something, and looks again whenever the decision appears. */
  async wait<T>(id: string, look: () => T | null, signal: AbortSignal): Promise<T> {
    const name = path.basename(this.#file(id, DECISION));
    const found = await pollUntil(() => wrapped(look()), {
      everyMs: POLL_INTERVAL_MS,
      signal,
      watch: (changed) => watchFolder(this.folder, (changedName) => changedName === name, changed),
    });
    return found!.value;
  }

  requestFile(id: string): string {
    return this.#file(id, REQUEST);
  }

  #file(id: string, suffix: string): string {
    if (!ID.test(id)) throw notFound(id);
    return path.join(this.folder, `${id}${suffix}`);
  }
}

function wrapped<T>(value: T | null): { value: T } | null {
  return value === null ? null : { value };
}

/** The first write wins. */
function createJson(file: string, content: unknown): boolean {
  return createOnce(file, `${JSON.stringify(content)}\n`, { durable: true });
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readRegularFile(file, { maxBytes: MAX_BYTES });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text);
}

export function notFound(id: string): TachoError {
  return new TachoError('APPROVAL_NOT_FOUND', `there is no approval "${id.slice(0, 100)}"`);
}
