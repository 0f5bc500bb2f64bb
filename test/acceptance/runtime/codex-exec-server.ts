import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { onTestFinished } from 'vitest';
import { enginesFolder } from '../../support/install-engines.ts';
import { temporaryFolder } from '../../support/tacho.ts';

/** Runs programs through the server of codex, to measure it as ours is measured. */
export interface CodexExecServer {
  /** Resolves when all output of the program was handed to `take`. */
  run(argv: readonly string[], take: (bytes: Buffer) => void): Promise<void>;
}

/** Null where codex is not installed: `npm run test:engines` does that. */
export async function startCodexExecServer(): Promise<CodexExecServer | null> {
  const program = path.join(enginesFolder, 'codex/node_modules/.bin/codex');
  if (!fs.existsSync(program)) return null;
  const home = temporaryFolder();
  const child = spawn(program, ['exec-server', '--listen', 'stdio'], {
    env: { PATH: process.env.PATH, HOME: home, CODEX_HOME: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.stdin.end());
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const listeners = new Set<(message: CodexMessage) => void>();
  readline.createInterface({ input: child.stdout }).on('line', (line) => {
    for (const listener of listeners) listener(JSON.parse(line));
  });
  const until = (isLast: (message: CodexMessage) => boolean) =>
    new Promise<void>((resolve, reject) => {
      const listener = (message: CodexMessage) => {
        if (message.error) reject(new Error(message.error.message));
        if (!message.error && !isLast(message)) return;
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
    });
  const ready = until(({ id }) => id === 1);
  send({ id: 1, method: 'initialize', params: { clientName: 'tacho-test' } });
  await ready;
  send({ method: 'initialized', params: {} });
  let number = 1;
  return {
    run: async (argv, take) => {
      const processId = `p${++number}`;
      const ended = until(({ method, params }) => {
        if (params?.processId !== processId) return false;
        if (method === 'process/output') take(Buffer.from(params.chunk ?? '', 'base64'));
        return method === 'process/closed';
      });
      const env = { PATH: process.env.PATH };
      const start = { processId, argv, cwd: 'file:///tmp', env, tty: false, pipeStdin: false, arg0: null };
      send({ id: number, method: 'process/start', params: start });
      await ended;
    },
  };
}

interface CodexMessage {
  id?: number;
  method?: string;
  params?: { processId: string; chunk?: string };
  error?: { message: string };
}
