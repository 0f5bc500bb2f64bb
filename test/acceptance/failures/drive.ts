import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, onTestFinished } from 'vitest';
import { isFlocked } from '../../../src/files/index.ts';
import type { RunRecord, RuntimeParams, TachoError } from '../../../src/protocol/index.ts';
import { ensureServer, type RuntimeClient } from '../../../src/runtime/index.ts';
import {
  type Finished,
  finished,
  processesWith,
  removeFolder,
  tachoCommand,
  temporaryFolder,
} from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import { isRunning, until } from '../../terminal/run-terminal.ts';

const TACHO = [process.execPath, tachoCommand];
/** A recorder that does not exit by itself has leaked a timer or a descriptor. */
const EXIT_TIMEOUT_MS = 100_000;

/** Where a program is recorded, and the faults of that place. */
export interface Place {
  home: string;
  workspace: string;
  /** Prefix of the command that starts tacho. */
  entry: readonly string[];
  env: Record<string, string>;
}

export function makePlace(more: Partial<Place> = {}): Place {
  return { home: temporaryFolder(), workspace: temporaryFolder(), entry: [], env: {}, ...more };
}

/** A place and its daemon for several tests of a file; both are removed after the file. */
export function sharedPlace(): { place: Place; daemon(): Promise<Daemon> } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-failures-'));
  const [home, workspace] = ['home', 'workspace'].map((name) => path.join(folder, name)) as [string, string];
  for (const made of [home, workspace]) fs.mkdirSync(made, { mode: 0o700 });
  const place: Place = { home, workspace, entry: [], env: {} };
  const ends: (() => Promise<void>)[] = [];
  let daemon: Daemon | null = null;
  afterAll(async () => {
    for (const end of ends) await end();
    removeFolder(folder);
  });
  return {
    place,
    async daemon() {
      if (daemon) return daemon;
      daemon = new Daemon(place, (end) => void ends.push(end));
      await daemon.warmUp();
      return daemon;
    },
  };
}

/** Runs tacho where no pseudo-terminal can be opened. */
export const WITHOUT_TERMINALS = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  'mount --bind /dev/null /dev/ptmx; exec "$@"',
  'sh',
];

export interface Outcome {
  /** The code of the error that the caller gets, if any. */
  errorCode: string | null;
}

/** Records a command with `tacho run` and waits until tacho exits by itself. */
export async function driveCommand(place: Place, argv: readonly string[], options: readonly string[] = []) {
  const child = startCommand(place, argv, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_TIMEOUT_MS);
  const end = await finished(child);
  clearTimeout(timer);
  expect(end.stderr).not.toMatch(/\n\s+at /);
  const answer = lastJson(end.stdout);
  return { errorCode: answer?.error?.code ?? null, end };
}

export function startCommand(place: Place, argv: readonly string[], options: readonly string[] = []) {
  const [program, ...words] = [...place.entry, ...TACHO];
  const child = spawn(program!, [...words, 'run', ...options, '--json', '--', ...argv], {
    cwd: place.workspace,
    env: { PATH: process.env.PATH!, TACHO_HOME: place.home, NO_COLOR: '1', ...place.env },
  });
  child.stdin.end();
  return child;
}

/** A daemon in that place; it is stopped when the test ends, or by `whenDone`. */
export class Daemon {
  readonly client: RuntimeClient;
  readonly #place: Place;
  #descriptors = 0;

  constructor(place: Place, whenDone: (end: () => Promise<void>) => void = onTestFinished) {
    this.#place = place;
    const command = [...place.entry, ...TACHO];
    this.client = ensureServer({
      workspace: place.workspace,
      command,
      environment: environmentOf(place),
      // Longer than the hundred commands between two sessions take.
      idleMs: 600_000,
    });
    whenDone(async () => {
      this.client.close();
      // A client whose call was interrupted by a crash may be starting the next daemon.
      const startLock = path.join(path.dirname(this.#serverFile), 'start.lock');
      await until(() => !isFlocked(startLock), 'no daemon is being started');
      if (!fs.existsSync(this.#serverFile) || !isRunning(this.pid)) return;
      const { pid } = this;
      process.kill(pid, 'SIGTERM');
      await until(() => !isRunning(pid), 'the daemon has ended');
    });
  }

  /** Makes one successful recording first, because files loaded for the first recording stay open. */
  async warmUp(): Promise<void> {
    await this.record({ kind: 'exec', argv: ['true'] });
    this.#descriptors = this.descriptors();
  }

  /** Records a session to its end. */
  async record(params: RuntimeParams<'session.create'>): Promise<Outcome> {
    try {
      const session = await this.client.call('session.create', { ...params, record: true });
      await this.untilSealed(session.session_id);
      return { errorCode: null };
    } catch (error) {
      return { errorCode: (error as TachoError).code };
    }
  }

  async untilSealed(session_id: string): Promise<void> {
    while (!(await this.client.call('session.info', { session_id })).recording?.sealed) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The recordings leave no descriptor open. */
  async expectNothingOpen(): Promise<void> {
    await expect.poll(() => this.descriptors(), { interval: 20 }).toBeLessThanOrEqual(this.#descriptors);
    const log = fs.readFileSync(path.join(path.dirname(this.#serverFile), 'server.stderr.log'), 'utf8');
    expect(log).not.toMatch(/EBADF|\n\s+at /);
  }

  get pid(): number {
    return JSON.parse(fs.readFileSync(this.#serverFile, 'utf8')).pid;
  }

  /** Without the inotify descriptor, which Node opens on first use and keeps. */
  descriptors(): number {
    const folder = `/proc/${this.pid}/fd`;
    return fs.readdirSync(folder).filter((fd) => linkOf(path.join(folder, fd)) !== 'anon_inode:inotify').length;
  }

  get #serverFile(): string {
    return path.join(this.#place.workspace, '.tacho/runtime/server.json');
  }
}

/** A command that reads or recovers records; it runs in this process, because it is not under test. */
export function tacho(place: Place, ...words: string[]): Promise<Finished> {
  return tachoHere(words, { cwd: place.workspace, env: environmentOf(place), input: '' });
}

export function records({ home }: Place): RunRecord[] {
  const runs = path.join(home, 'runs');
  if (!fs.existsSync(runs)) return []; // Nothing was started.
  return fs
    .readdirSync(runs)
    .sort()
    .map((id) => JSON.parse(fs.readFileSync(path.join(runs, id, '.run.json'), 'utf8')));
}

/** Holds after every failure: each record is sealed or recoverable, and verifies; no process is left. */
export async function expectAllVerified(place: Place, mark: string): Promise<RunRecord[]> {
  const recovered = await tacho(place, 'recover');
  expect(recovered.code, recovered.stdout + recovered.stderr).toBe(0);
  await expect.poll(() => processesWith(mark)).toEqual([]);
  const all = records(place);
  for (const { run_id, live } of all) {
    expect(live).toBeNull();
    const verified = await tacho(place, 'verify', run_id);
    expect(verified.code, verified.stdout + verified.stderr).toBe(0);
  }
  if (all.length > 0) expect(fs.readdirSync(path.join(place.home, 'live'))).toEqual([]);
  return all;
}

/** Null when the descriptor is closed. */
function linkOf(file: string): string | null {
  try {
    return fs.readlinkSync(file);
  } catch {
    return null;
  }
}

function environmentOf({ home, env }: Place): Record<string, string> {
  return { ...(process.env as Record<string, string>), TACHO_HOME: home, NO_COLOR: '1', ...env };
}

function lastJson(text: string): { error?: { code: string } | null } | null {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? JSON.parse(line) : null;
}
