import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { type Flock, isRegularFile, readRegularFile, takeFlock } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { type RunFolder, runFolderAt, writeWhole } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';

const sessionRunSchema = z.strictObject({
  format: z.literal('tacho-session/1'),
  run_id: z.string().regex(/^[\w-]+$/),
  path: z.string(),
  stamp: z.string().nullable().describe('Version of the file that was read to its end.'),
});
export type SessionRun = z.infer<typeof sessionRunSchema>;

const SAFE_NAME = /^[\w-]{1,100}$/;

/**
 * Which run has the entries of a session file, whoever read it first: `tacho watch` or `tacho import`. So that later
 * readers add to that run what it lacks, instead of showing everything twice.
 */
export class SessionRuns {
  readonly #folder: string;
  readonly #home: DataHome;

  constructor(home: DataHome, engine: string) {
    this.#home = home;
    this.#folder = path.join(home.root, 'sessions', engine);
  }

  /** Null for a session that was never read, or whose run was removed. */
  find(session: string): SessionRun | null {
    const entry = this.#entryOf(session);
    return entry && fs.existsSync(this.folderOf(entry.run_id).audit) ? entry : null;
  }

  /** The version of its file that was read to the end, also if the run was removed since. */
  readStamp(session: string): string | null {
    return this.#entryOf(session)?.stamp ?? null;
  }

  folderOf(runId: string): RunFolder {
    return runFolderAt(path.join(this.#home.runs, runId));
  }

  put(session: string, run: Omit<SessionRun, 'format'>): void {
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const content: SessionRun = { format: 'tacho-session/1', ...run };
    writeWhole(this.#fileOf(session), `${JSON.stringify(content)}\n`, { replace: true });
  }

  #entryOf(session: string): SessionRun | null {
    const file = this.#fileOf(session);
    if (!isRegularFile(file)) return null;
    return sessionRunSchema.safeParse(parse(readRegularFile(file))).data ?? null;
  }

  #fileOf(session: string): string {
    const name = SAFE_NAME.test(session) ? session : createHash('sha256').update(session).digest('hex');
    return path.join(this.#folder, `${name}.json`);
  }
}

/** One reader of an engine's sessions at a time: two would record the same entries twice. Null while there is another. */
export function tryLockSessions({ root }: DataHome, engine: string): Flock | null {
  const folder = path.join(root, 'sessions');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return takeFlock(path.join(folder, `${engine}.lock`));
}

/** The same, or WATCH_RUNNING. */
export function lockSessions(home: DataHome, engine: string): Flock {
  const { root } = home;
  const lock = tryLockSessions(home, engine);
  if (lock) return lock;
  throw new TachoError('WATCH_RUNNING', `another tacho watch or import reads sessions of ${engine} into ${root}`, {
    facts: { engine },
    fix: 'Stop it first, or choose another data folder with --data. A watch also shows sessions in new files.',
  });
}

const SESSION_ID = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/;
/** The log of an agent: programs may give the same id to runs in different workspaces. */
const AGENT_LOG = /^\/.*\/\.tacho\/runs\/[^/]+\/events\.jsonl$/;

/** What a session is known by: the id in the name of its file, else the one its entries have, else its path. */
export function sessionKey(file: string, told: string | null): string {
  if (AGENT_LOG.test(file)) return file;
  return SESSION_ID.exec(file)?.[1] ?? told ?? file;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
