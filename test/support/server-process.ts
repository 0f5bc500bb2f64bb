import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A database server of a test, in a folder of its own. It can be stopped and started again with its data. */
export interface TestServer {
  dsn: string;
  start(): Promise<void>;
  /** At once, as after a power failure. */
  kill(): Promise<void>;
  /** Holds it, so that it accepts connections and answers nothing. */
  pause(): void;
  resume(): void;
  /** Kills it and removes its folder. */
  remove(): Promise<void>;
}

interface ServerParts {
  folder: string;
  dsn: string;
  argv: readonly string[];
  /** A server that refuses to run as root runs as this user. */
  user: ServerUser;
  /** Printed when it accepts connections. */
  ready: RegExp;
  /** Ends it at once, with the processes that it started. */
  killSignal: NodeJS.Signals;
}

export interface ServerUser {
  uid?: number;
  gid?: number;
}

/** A folder for a server, with a short path: a socket's path has at most 107 bytes. */
export function serverFolder(user: ServerUser): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-db-'));
  if (user.uid !== undefined) fs.chownSync(folder, user.uid, user.gid!);
  return folder;
}

/** The user to run a server as: this one, or the server's own when this one is root. */
export function serverUser(name: string): ServerUser {
  if (process.getuid!() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export function testServer({ folder, dsn, argv, user, ready, killSignal }: ServerParts): TestServer {
  let child: ChildProcess | null = null;
  const signal = (name: NodeJS.Signals) => {
    const children = fs.readFileSync(`/proc/${child!.pid}/task/${child!.pid}/children`, 'utf8').split(' ').map(Number);
    for (const pid of [child!.pid!, ...children.filter((one) => one > 0)]) process.kill(pid, name);
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    signal('SIGCONT');
    child.kill(killSignal);
    await exited;
    child = null;
  };
  return {
    dsn,
    start: () =>
      new Promise((resolve, reject) => {
        const started = spawn(argv[0]!, argv.slice(1), { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...user });
        child = started;
        let printed = '';
        const read = (bytes: Buffer) => {
          printed += bytes;
          if (ready.test(printed)) resolve();
        };
        started.stdout.on('data', read);
        started.stderr.on('data', read);
        started.once('error', reject);
        started.once('exit', () => reject(new Error(`${argv[0]} ended: ${printed}`)));
      }),
    kill,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    remove: async () => {
      await kill();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
