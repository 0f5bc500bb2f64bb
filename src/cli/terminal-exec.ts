import { constants } from 'node:os';
import type { CommandResult } from '../protocol/index.ts';
import { durationOf, usage } from './record-options.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { findSession, withRuntime } from './terminal-client.ts';

export interface ExecOptions extends RuntimeOptions {
  timeout?: string;
}

/** What `timeout` of coreutils says. */
const TIMED_OUT = 124;

/** `tacho terminal exec`: the exit code is the command's. */
export async function execCommand(
  selector: string | undefined,
  options: ExecOptions,
  words: readonly string[],
): Promise<void> {
  if (words.length === 0)
    throw usage('there is no command', 'It stands after --, as in: tacho terminal exec build -- make');
  const timeout = durationOf('--timeout', options.timeout);
  const limits = timeout === undefined ? {} : { timeout_ms: timeout };
  const result = await withRuntime(options, async (client) => {
    const where =
      selector === undefined
        ? { argv: [...words], cwd: process.cwd() }
        : { session_id: (await findSession(client, selector)).session_id, command: words.join(' ') };
    if (options.json) return await client.call('exec.run', { ...where, ...limits });
    return await client.call(
      'exec.stream',
      { ...where, ...limits, when_behind: 'wait', max_output_bytes: 0 },
      ({ stream, data, encoding }) => write(process[stream], Buffer.from(data, encoding)),
    );
  });
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else if (result.timed_out) process.stderr.write('tacho: the command did not end in its time\n');
  process.exitCode = exitCodeOf(result);
}

function write(to: NodeJS.WriteStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => to.write(bytes, () => resolve()));
}

function exitCodeOf({ exit_code, signal, timed_out }: CommandResult): number {
  if (timed_out) return TIMED_OUT;
  if (exit_code !== null) return exit_code;
  return signal === null ? 1 : 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
