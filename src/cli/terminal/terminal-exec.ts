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

/** What also a command in a session can have. */
const OF_ANY_COMMAND: ReadonlySet<string> = new Set(['timeout', 'killGrace', 'stdin', 'workspace', 'json']);

/** `tacho terminal exec`: the exit code is the command's. */
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
    // On another machine our folder says nothing.
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

/** The rest was said when the session was opened. */
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
  const told = cancelWhenTold(client, exec_id);
  const result = json
    ? await client.call('exec.run', { ...request, exec_id })
    : await client.call(
        'exec.stream',
        { ...request, exec_id, when_behind: 'wait', max_output_bytes: 0 },
        async ({ stream, data, encoding }) => await writeOut(process[stream], Buffer.from(data, encoding)),
      );
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else process.stderr.write(describeEnd(result));
  const signal = told();
  process.exitCode =
    signal && result.canceled ? afterSignal(signal) : result.timed_out ? TIMED_OUT : exitCodeOf(result);
}

/** When we have to go the command ends, and not only our look at it; told again, we do not wait for that. */
function cancelWhenTold(client: RuntimeClient, exec_id: string): () => NodeJS.Signals | null {
  let told: NodeJS.Signals | null = null;
  const cancel = (signal: NodeJS.Signals) => {
    if (told) process.exit(afterSignal(signal));
    told = signal;
    // The answer to the command itself tells how that went.
    client.call('exec.cancel', { exec_id }).catch(() => {});
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, cancel);
  // Nobody reads its output any more: in a pipe it would end, and a session must not stay busy with it.
  process.stdout.removeAllListeners('error').on('error', () => told ?? cancel('SIGPIPE'));
  return () => told;
}

function describeEnd({ timed_out, limit_exceeded }: CommandResult): string {
  if (timed_out) return 'tacho: the command did not end in its time\n';
  return limit_exceeded === null ? '' : `tacho: the command reached its limit of ${limit_exceeded.replace('_', ' ')}\n`;
}
