import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import type { RaspEvent, RunRecord, RunView } from '../../src/protocol/index.ts';
import {
  processesWith,
  readEvents,
  removeFolder,
  signalIfThere,
  tachoCommand,
  temporaryFolder,
  until,
} from './tacho.ts';

/** The real server as a separate process, with its own data folder. */
export interface Service {
  url: string;
  token: string;
  home: string;
  client: Client;
  process: ChildProcess;
  /** Milliseconds from the start of the process to its ready line. */
  readyMs: number;
  /** Stops it like a user. */
  stop(): Promise<void>;
  /** Kills it. */
  kill(): Promise<void>;
  /** Another server on the same data folder. */
  again(): Promise<Service>;
  record(runId: string): RunRecord;
  events(runId: string): RaspEvent[];
}

export interface ServiceOptions {
  home?: string;
  env?: Record<string, string>;
  /** Default: any free port. */
  port?: string;
  /** Registers cleanup; by default it runs when the test ends. */
  whenDone?: (end: () => Promise<void>) => void;
  /** Limit of open descriptors. */
  descriptors?: number;
  /** Without root's right to read and write everything. */
  bound?: boolean;
}

/** One server for all tests of a file. After a test has stopped it, `again` starts the next one for all. */
export function sharedService(options: ServiceOptions = {}): Service {
  const service = {} as Service;
  const ends: (() => Promise<void>)[] = [];
  let home = options.home;
  const take = (started: Service): Service =>
    Object.assign(service, started, { again: async () => take(await started.again()) });
  beforeAll(async () => {
    home ??= fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-service-'));
    take(await startService({ ...options, home, whenDone: (end) => void ends.push(end) }));
  });
  afterAll(async () => {
    for (const end of ends) await end();
    if (home) removeFolder(home);
  });
  return service;
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const home = options.home ?? temporaryFolder('tacho-service-');
  const begun = performance.now();
  const start = [tachoCommand, 'start', '--port', options.port ?? '0', '--json', '--data', home];
  const [program, ...words] = limited([process.execPath, ...start], options);
  const child = spawn(program!, words, {
    cwd: home,
    env: { ...process.env, TACHO_HOME: home, NO_COLOR: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr!.on('data', (bytes: Buffer) => {
    complaints += bytes.toString();
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  };
  const { whenDone = onTestFinished } = options;
  whenDone(async () => {
    await end('SIGKILL');
    await endSupervisors(home);
  });
  const { url, token } = await readyLine(child, () => complaints);
  return {
    url,
    token,
    home,
    process: child,
    readyMs: performance.now() - begun,
    client: createClient({ url, token }),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    again: () => startService({ ...options, home }),
    record: (runId) => JSON.parse(fs.readFileSync(path.join(home, 'runs', runId, '.run.json'), 'utf8')) as RunRecord,
    events: (runId) => readEvents(path.join(home, 'runs', runId, '.audit/events.jsonl')),
  };
}

/** Ends the supervisors of the data folder: each is signaled once, including one that the server was starting. */
async function endSupervisors(home: string): Promise<void> {
  const signaled = new Set<number>();
  await until(() => {
    const left = processesWith(`supervise\u0000${home}`);
    for (const pid of left) {
      if (signaled.has(pid)) continue;
      signaled.add(pid);
      signalIfThere(pid, 'SIGTERM');
    }
    return left.length === 0;
  });
}

/** The command with a prefix that sets the limits. */
function limited(words: readonly string[], { descriptors, bound = false }: ServiceOptions): string[] {
  const unprivileged = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all'];
  const plain = bound && process.getuid!() === 0 ? [...unprivileged, ...words] : [...words];
  return descriptors === undefined ? plain : ['bash', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'bash', ...plain];
}

function readyLine(child: ChildProcess, complaints: () => string): Promise<{ url: string; token: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    // Not on exit: its last output may arrive later.
    child.once('close', (code) => reject(new Error(`the server exited with ${code}: ${text}${complaints()}`)));
    child.stdout!.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      const end = text.indexOf('\n');
      if (text.startsWith('{"url"') && end >= 0)
        resolve(JSON.parse(text.slice(0, end)) as { url: string; token: string });
    });
  });
}

const RESTING = ['succeeded', 'failed', 'canceled', 'waiting_user'];

/** The run once it has ended or waits for the user. */
export async function whenResting(client: Client, runId: string): Promise<RunView> {
  for (;;) {
    const run = await client.getRun(runId);
    if (RESTING.includes(run.status)) return run;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
