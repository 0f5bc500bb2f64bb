import { randomBytes } from 'node:crypto';
import type { CommandResult, RuntimeParams } from '../../protocol/index.ts';
import type { RuntimeClient } from '../../runtime/index.ts';
import { writeOut } from '../output/write-out.ts';
import { durationOf, usage } from '../run/record-options.ts';
import { readCommandStdin, type StdinOptions } from './command-stdin.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { checkRequest } from './terminal-check.ts';
import { withRuntime, withSession } from './terminal-client.ts';
import { afterSignal, exitCodeOf, TIMED_OUT } from './terminal-exit.ts';
import { flagOf, type SharedOptions } from './terminal-options.ts';
import { durationOrNothing, given, sharedRequest } from './terminal-request.ts';

export interface ExecOptions extends RuntimeOptions, SharedOptions, StdinOptions {}

type Request = RuntimeParams<'exec.run'>;

/** Options that also apply to a command in an existing session. */
const OF_ANY_COMMAND: ReadonlySet<string> = new Set(['timeout', 'killGrace', 'stdin', 'workspace', 'json']);

/** `tacho terminal exec`: exits with the command's code. */
export async function execCommand(
  selector: string | undefined,
  options: ExecOptions,
  words: readonly string[],
): Promise<void> {
  if (words.length === 0) {
    throw usage('there is no command', 'Put it after --: tacho terminal exec build -- make');
  }
  if (selector === undefined) {
    const request = { argv: [...words], ...sharedRequest(options) };
    // Our current directory means nothing on another machine.
    if ((options.target ?? 'host') === 'host') request.cwd ??= process.cwd();
    checkRequest('exec.run', request, options);
    return await withRuntime(options, async (client) => await run(client, request, options));
  }
  const request = { command: words.join(' '), ...ofAnyCommand(options) };
  await withSession(selector, options, async (client, { session_id, kind }) => {
    if (kind !== 'shell') {
      throw usage(
        `${session_id} is of kind ${kind} and runs no commands`,
        'One of kind shell does: tacho terminal create',
      );
    }
    await run(client, { session_id, ...request }, options);
  });
}

/** The session determines the rest. */
function ofAnyCommand(options: ExecOptions): Request {
  const other = Object.keys(options).find((option) => !OF_ANY_COMMAND.has(option));
  if (other !== undefined) {
    throw usage(
      `${flagOf(other)}: a command in a session has what the session has`,
      'Give it to tacho terminal create, or run the command without a session.',
    );
  }
  return given({
    timeout_ms: durationOf('--timeout', options.timeout),
    kill_grace_ms: durationOrNothing('--kill-grace', options.killGrace),
  });
}

async function run(client: RuntimeClient, wanted: Request, { json, ...options }: ExecOptions): Promise<void> {
  const exec_id = `x-${randomBytes(6).toString('hex')}`;
  const request = given({ ...wanted, stdin: await readCommandStdin(options) }) as Request;
  const received = cancelOnSignal(client, exec_id);
  const result = json
    ? await client.call('exec.run', { ...request, exec_id })
    : await client.call(
        'exec.stream',
        { ...request, exec_id, when_behind: 'wait', max_output_bytes: 0 },
        async ({ stream, data, encoding }) => await writeOut(process[stream], Buffer.from(data, encoding)),
      );
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else process.stderr.write(describeEnd(result));
  const signal = received();
  process.exitCode =
    signal && result.canceled ? afterSignal(signal) : result.timed_out ? TIMED_OUT : exitCodeOf(result);
}

/** A signal cancels the command, not only our view of it; a second signal exits without waiting. */
function cancelOnSignal(client: RuntimeClient, exec_id: string): () => NodeJS.Signals | null {
  let received: NodeJS.Signals | null = null;
  const cancel = (signal: NodeJS.Signals) => {
    if (received) process.exit(afterSignal(signal));
    received = signal;
    // The result of the command reports the outcome.
    client.call('exec.cancel', { exec_id }).catch(() => {});
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, cancel);
  // The reader of our output has gone. In a pipe the command would end; cancel it so that the session is not busy.
  process.stdout.removeAllListeners('error').on('error', () => received ?? cancel('SIGPIPE'));
  return () => received;
}

function describeEnd({ timed_out, limit_exceeded }: CommandResult): string {
  if (timed_out) return 'tacho: the command did not end in its time\n';
  return limit_exceeded === null ? '' : `tacho: the command reached its limit of ${limit_exceeded.replace('_', ' ')}\n`;
}
