import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureServer } from '../../src/runtime/index.ts';

export type TakeBytes = (bytes: Buffer) => void;

/** Runs programs, one at a time, and passes on their stdout as it arrives. */
export interface CommandRunner {
  /** Resolves when the program has ended and `take` got all of its output. */
  run(argv: readonly string[], take: TakeBytes): Promise<void>;
  stop(): Promise<void>;
}

/** A daemon of the terminal runtime; every program has its own session. */
export interface TachoRuntime extends CommandRunner {
  /** Shell text, in a persistent session. */
  runInShell(command: string, take: TakeBytes): Promise<void>;
}

const tacho = path.join(path.dirname(path.dirname(import.meta.dirname)), 'bin', 'tacho');

/** The daemon of a new workspace, called over its socket. */
export async function startRuntime(): Promise<TachoRuntime> {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  // Allows measuring another build.
  const command = [process.execPath, process.env.TACHO_TEST_CLI ?? tacho];
  const client = ensureServer({ workspace, command, environment: process.env });
  const { session_id } = await client.call('session.create', { kind: 'shell' });
  const stream = async (what: object, take: TakeBytes): Promise<void> => {
    await client.call('exec.stream', { ...what, when_behind: 'wait', max_output_bytes: 0 }, ({ data, encoding }) =>
      take(Buffer.from(data, encoding)),
    );
  };
  return {
    run: (argv, take) => stream({ argv }, take),
    runInShell: (command, take) => stream({ session_id, command }, take),
    async stop() {
      await client.call('runtime.shutdown', {});
      client.close();
      // The daemon removes its own files at the same time.
      fs.rmSync(workspace, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A child of this process with a pipe: the minimum. */
export const bareSpawn: CommandRunner = {
  run(argv, take) {
    const child = spawn(argv[0]!, argv.slice(1), { stdio: ['ignore', 'pipe', 2] });
    child.stdout!.on('data', take);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => resolve());
    });
  },
  stop: async () => {},
};
