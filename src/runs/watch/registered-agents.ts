import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, readRegularFile } from '../../files/index.ts';
import {
  AGENT_RUNS_FOLDER,
  type AgentRegistration,
  agentRegistrationSchema,
  EVENTS_FILE,
  REGISTERED_AGENTS_FOLDER,
} from '../../protocol/index.ts';
import type { DataHome } from '../data-home.ts';
import { stampOf } from './session-folders.ts';

const MAX_BYTES = 64 * 1024;
/** A younger one may belong to a run that is just beginning. */
const MIN_AGE_MS = 60_000;

export interface RegisteredAgent extends AgentRegistration {
  /** The file with the registration. */
  file: string;
}

/** Runs of agents that asked to be shown. Each registration is read once; other files are reported once and skipped. */
export class RegisteredAgents {
  readonly folder: string;
  readonly #onProblem: (error: unknown, file: string) => void;
  readonly #known = new Map<string, { stamp: string; agent: RegisteredAgent | null }>();

  constructor(
    { root }: Pick<DataHome, 'root'>,
    { onProblem = () => {} }: { onProblem?: (error: unknown, file: string) => void } = {},
  ) {
    this.folder = path.join(root, REGISTERED_AGENTS_FOLDER);
    this.#onProblem = onProblem;
  }

  list(): RegisteredAgent[] {
    const names = namesIn(this.folder);
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    return [...names].flatMap((name) => this.#read(name) ?? []);
  }

  /** Removes registrations of runs whose log is gone; returns how many there are. */
  removeStale({ dryRun = false }: { dryRun?: boolean } = {}): number {
    const old = (at: string) => Date.now() - Date.parse(at) >= MIN_AGE_MS;
    const stale = this.list().filter(({ locator, registered_at }) => old(registered_at) && isGone(locator));
    if (!dryRun) for (const { file } of stale) fs.rmSync(file, { force: true });
    return stale.length;
  }

  #read(name: string): RegisteredAgent | null {
    const file = path.join(this.folder, name);
    const stamp = stampOf(file)?.stamp ?? '';
    const known = this.#known.get(name);
    if (known?.stamp === stamp) return known.agent;
    let agent: RegisteredAgent | null = null;
    try {
      agent = { ...parsed(readRegularFile(file, { maxBytes: MAX_BYTES })), file };
    } catch (error) {
      // Removed meanwhile is not a problem.
      if (errnoOf(error) !== 'ENOENT') this.#onProblem(error, file);
    }
    this.#known.set(name, { stamp, agent });
    return agent;
  }
}

/** The log can only be where logs of agents are. */
function parsed(text: string): AgentRegistration {
  const registration = agentRegistrationSchema.parse(JSON.parse(text));
  const { workspace, run_id, locator } = registration;
  if (locator === path.join(workspace, AGENT_RUNS_FOLDER, run_id, EVENTS_FILE)) return registration;
  throw new Error(`the log of ${run_id} cannot be ${locator}`);
}

function namesIn(folder: string): Set<string> {
  try {
    return new Set(fs.readdirSync(folder).filter((name) => name.endsWith('.json')));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return new Set(); // Nothing was registered yet.
    throw error;
  }
}

/** Only if that is certain: a disk that is not mounted now may be mounted again. */
function isGone(locator: string): boolean {
  const workspace = path.dirname(path.dirname(path.dirname(path.dirname(locator))));
  if (!fs.existsSync(path.dirname(workspace))) return false;
  try {
    return fs.lstatSync(locator, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return errnoOf(error) === 'ENOTDIR';
  }
}
