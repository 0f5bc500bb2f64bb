import fs from 'node:fs';
import path from 'node:path';
import { createOnce, errnoOf, pollUntil, readRegularFile, watchFolder } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';

/** Room for the id of a run, which is part of it. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,159}$/;
const REQUEST = '.request.json';
const DECISION = '.decision.json';
const MAX_BYTES = 4 * 1024 * 1024;
/** The net under the watch of the folder. */
const POLL_INTERVAL_MS = 2000;

export interface DecisionFolderOptions<Request extends object, Decision extends object> {
  /** Both throw if the content of a file is not what it should be. */
  readRequest(value: unknown): Request;
  readDecision(value: unknown): Decision;
  /** MAC of a text. With it, files that were written or changed by anything without the key cannot be read. */
  sign?: ((text: string) => string) | undefined;
}

/** For folders of approvals and of questions. */
export interface DecisionFolderSettings extends Pick<DecisionFolderOptions<object, object>, 'sign'> {
  /** The time, as it is stored. */
  now?: (() => string) | undefined;
}

/**
 * Requests, one file each, and decisions, one file each, private to the user. A decision is created, never replaced: of
 * two concurrent decisions one wins, and the other caller gets the winning one. Other programs may be able to write to
 * the folder, so its files may be anything.
 */
export class DecisionFolder<Request extends object, Decision extends object> {
  readonly folder: string;
  readonly #options: DecisionFolderOptions<Request, Decision>;

  constructor(folder: string, options: DecisionFolderOptions<Request, Decision>) {
    this.folder = folder;
    this.#options = options;
  }

  /** False if there is a request with this id, which stays as it is. */
  add(id: string, request: Request): boolean {
    fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    return this.#create(id, REQUEST, request);
  }

  /** Throws if there is none, or it cannot be read. */
  request(id: string): Request {
    const value = this.#read(id, REQUEST);
    if (value === undefined) throw notFound(id);
    return this.#options.readRequest(value);
  }

  /** Null if there is none yet; throws if it cannot be read. */
  decision(id: string): Decision | null {
    const value = this.#read(id, DECISION);
    return value === undefined ? null : this.#options.readDecision(value);
  }

  /** Of several decisions the first one counts. True if it is this one. */
  decide(id: string, decision: Decision): boolean {
    return this.#create(id, DECISION, decision);
  }

  /** Takes a decision back that only repeated what is kept elsewhere. */
  withdraw(id: string): void {
    fs.rmSync(this.#file(id, DECISION), { force: true });
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

  /** The first write wins. */
  #create(id: string, suffix: string, content: object): boolean {
    const mac = this.#macOf(id, suffix, content);
    const signed = mac === null ? content : { ...content, mac };
    return createOnce(this.#file(id, suffix), `${JSON.stringify(signed)}\n`, { durable: true });
  }

  #read(id: string, suffix: string): unknown {
    const value = readJson(this.#file(id, suffix));
    if (typeof value !== 'object' || value === null) return value;
    const { mac, ...content } = value as { mac?: unknown };
    const wanted = this.#macOf(id, suffix, content);
    if (wanted !== null && mac !== wanted) throw new Error(`${id}${suffix} was changed from outside`);
    return content;
  }

  #macOf(id: string, suffix: string, content: object): string | null {
    return this.#options.sign?.(`${id}${suffix} ${JSON.stringify(content)}`) ?? null;
  }

  #file(id: string, suffix: string): string {
    if (!ID.test(id)) throw notFound(id);
    return path.join(this.folder, `${id}${suffix}`);
  }
}

function wrapped<T>(value: T | null): { value: T } | null {
  return value === null ? null : { value };
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
