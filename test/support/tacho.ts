import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { AUDIT_FOLDER, type RaspEvent } from '../../src/protocol/index.ts';
import { tachoHere } from './tacho-here.ts';

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));
export const tachoCommand = path.join(projectRoot, 'bin/tacho');

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A folder that is removed when the test ends. */
export function temporaryFolder(name = 'tacho-test-'): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), name));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Removes a folder recursively, also while an ending process writes its last file there. */
export function removeFolder(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
}

export interface Sandbox {
  /** The data folder. */
  home: string;
  /** The default current directory of commands, and so the workspace of runs. */
  work: string;
  /** Runs the built `tacho` to its end. */
  tacho(args: readonly string[], options?: TachoOptions): Promise<Finished>;
  /** Runs it with --json and reads the last line of its output. */
  json<T = RunAnswer>(args: readonly string[], options?: TachoOptions): Promise<T & { finished: Finished }>;
  /** Runs a command in this process, if the command is not under test; see `tachoHere` for its limits. */
  here(args: readonly string[], options?: TachoOptions): Promise<Finished>;
  /** The same with --json; parses the last line of its output. */
  jsonHere<T = RunAnswer>(args: readonly string[], options?: TachoOptions): Promise<T & { finished: Finished }>;
  /** Starts it without waiting for its end. */
  start(args: readonly string[], options?: TachoOptions): ChildProcess;
  /** The audit folder of the only run, or of the one with this id. */
  audit(runId?: string): string;
  events(runId?: string): RaspEvent[];
  runIds(): string[];
}

export interface TachoOptions {
  input?: string | Buffer;
  env?: Record<string, string>;
  cwd?: string;
}

export interface RunAnswer {
  run_id: string;
  run_dir: string;
  attempt: number;
  status: string;
  exit_code: number | null;
  signal: string | null;
  completion: { state: string; reason_code: string };
}

/** A new data folder, and the real command for it. */
export function sandbox(): Sandbox {
  const home = temporaryFolder();
  const work = temporaryFolder('tacho-work-');
  const environment = (env: Record<string, string> = {}) =>
    ({ ...withoutSecrets(process.env), TACHO_HOME: home, NO_COLOR: '1', ...env }) as Record<string, string>;
  const start = (args: readonly string[], { env, cwd = work }: TachoOptions = {}) =>
    spawn(process.execPath, [tachoCommand, ...args], {
      cwd,
      env: environment(env),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  const tacho = (args: readonly string[], options: TachoOptions = {}) => {
    const child = start(args, options);
    child.stdin!.end(options.input ?? '');
    return finished(child);
  };
  const here = (args: readonly string[], { env, cwd = work, input = '' }: TachoOptions = {}) =>
    tachoHere(args, { cwd, input, env: environment(env) });
  const runIds = () => fs.readdirSync(path.join(home, 'runs')).sort();
  const audit = (runId = runIds()[0]!) => path.join(home, 'runs', runId, AUDIT_FOLDER);
  return {
    home,
    work,
    tacho,
    start,
    audit,
    runIds,
    here,
    json: async (args, options) => answerOf(await tacho(asJson(args), options)),
    jsonHere: async (args, options) => answerOf(await here(asJson(args), options)),
    events: (runId) => readEvents(path.join(audit(runId), 'events.jsonl')),
  };
}

/** Values of secret-looking variables would be masked in the output of recorded programs. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/(KEY|TOKEN|SECRET|PASSWORD)$|CRED/.test(name)));
}

const asJson = ([command, ...rest]: readonly string[]) => [command!, '--json', ...rest];

function answerOf(finished: Finished) {
  return { ...JSON.parse(finished.stdout.trimEnd().split('\n').at(-1)!), finished };
}

/** Complete lines only: the last one may still be incomplete. */
export function readEvents(file: string): RaspEvent[] {
  const lines = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as RaspEvent);
}

export function finished(child: ChildProcess): Promise<Finished> {
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  return new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, stdout: stdout(), stderr: stderr() })),
  );
}

/** Returns everything read so far; a character may arrive in two pieces. */
function collect(stream: Readable | null): () => string {
  const pieces: Buffer[] = [];
  stream?.on('data', (bytes: Buffer | string) => void pieces.push(Buffer.from(bytes as string)));
  return () => Buffer.concat(pieces).toString();
}

/** The files this process has open. Not all descriptors: sockets and pipes of earlier tests close at any time. */
export function openFiles(): string[] {
  return fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [fs.readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // The descriptor of the listing itself.
    }
  });
}

/** Whether the process watches files. */
export function isWatching({ pid }: ChildProcess): boolean {
  try {
    const folder = `/proc/${pid}/fdinfo`;
    return fs.readdirSync(folder).some((fd) => fs.readFileSync(path.join(folder, fd), 'utf8').includes('inotify wd:'));
  } catch {
    return false; // It is starting, or a descriptor was closed.
  }
}

/** Polls until the condition holds; the test's timeout ends the wait. */
export async function until<T>(look: () => T | null | undefined | false): Promise<T> {
  for (;;) {
    const begun = performance.now();
    const found = look();
    if (found) return found;
    await restAfter(performance.now() - begun);
  }
}

/** Waits ten times as long as the poll took, within limits: scanning all processes without a pause busies a core. */
export function restAfter(lookedMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(5, 10 * lookedMs), 100)));
}

/** Sends the signal to a process that may have ended by itself since it was found. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Live processes whose command line contains the text. */
export function processesWith(text: string): number[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
      } catch {
        return false; // The process has ended.
      }
    });
}
