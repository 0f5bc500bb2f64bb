import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findEngine } from '../../src/engines/index.ts';
import { LineSplitter } from '../../src/terminal/line-splitter.ts';
import type { CommandRunner } from './command-runners.ts';
import { type Installed, installPackage } from './install-package.ts';
import { end } from './tacho-server.ts';

const { package: PACKAGE, version: VERSION } = findEngine('codex')!.install!;
export const CODEX_EXEC_SERVER = `codex exec-server ${VERSION}`;
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/** The part of its messages that is used here. */
interface Message {
  id?: number;
  method?: string;
  params?: { processId: string; chunk?: string };
  error?: { message: string };
}

/** The version tacho is tested with: from the folder of `npm run test:engines`, or installed for the comparison. */
export function installCodex(): Installed {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const folder = path.join(process.env.TACHO_ENGINES_FOLDER || path.join(cache, 'tacho-engines'), 'codex');
  return versionIn(folder) === VERSION ? { folder, problem: null } : installPackage(PACKAGE, VERSION);
}

/** Codex's command server, over stdin and stdout: JSON lines, output in base64. */
export async function startCodexExecServer(installed: string): Promise<CommandRunner> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const child = spawn(nativeProgram(installed), ['exec-server', '--listen', 'stdio'], {
    env: { PATH: process.env.PATH, HOME: home, CODEX_HOME: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const send = (message: Message | object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const waitFor = listen(child);
  send({ id: 1, method: 'initialize', params: { clientName: 'tacho-bench' } });
  await waitFor(({ id }) => id === 1);
  send({ method: 'initialized', params: {} });
  let number = 1;
  return {
    async run(argv, take) {
      const processId = `p${++number}`;
      const env = { PATH: process.env.PATH };
      const params = { processId, argv, cwd: 'file:///tmp', env, tty: false, pipeStdin: false, arg0: null };
      send({ id: number, method: 'process/start', params });
      await waitFor(({ method, params }) => {
        if (params?.processId === processId && method === 'process/output') take(Buffer.from(params.chunk!, 'base64'));
        return params?.processId === processId && method === 'process/closed';
      });
    },
    async stop() {
      child.stdin.end(); // A signal alone does not end it.
      await end(child);
      fs.rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Passes messages to one listener at a time, until the last one it wants. */
function listen(child: ChildProcess): (isLast: (message: Message) => boolean) => Promise<void> {
  let listener: { take(message: Message): void; fail(error: Error): void } | null = null;
  const splitter = new LineSplitter(MAX_LINE_LENGTH);
  child.stdout!.on('data', (bytes: Buffer) => {
    for (const line of splitter.push(bytes)) listener?.take(JSON.parse(String(line)));
  });
  child.once('exit', (code) => listener?.fail(new Error(`codex exec-server exited with ${code}`)));
  return (isLast) =>
    new Promise((resolve, reject) => {
      listener = {
        take: (message) => {
          if (message.error) reject(new Error(message.error.message));
          else if (isLast(message)) resolve();
        },
        fail: reject,
      };
    });
}

function versionIn(folder: string): string | null {
  const file = path.join(folder, 'node_modules', PACKAGE, 'package.json');
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string }).version : null;
}

/** The program itself; the package's command only starts it, and would not forward signals. */
function nativeProgram(installed: string): string {
  const vendor = path.join(installed, 'node_modules', `${PACKAGE}-${process.platform}-${process.arch}`, 'vendor');
  return path.join(vendor, fs.readdirSync(vendor)[0]!, 'bin', 'codex');
}
