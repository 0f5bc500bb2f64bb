import { constants } from 'node:os';
import { TachoError } from '../../protocol/index.ts';
import { count } from '../output/format.ts';
import { usage } from '../run/record-options.ts';
import { printAnswer, type RuntimeOptions } from './runtime-options.ts';
import { withSession } from './terminal-client.ts';
import { screenSize } from './terminal-create.ts';

export interface WriteOptions extends RuntimeOptions {
  enter?: boolean;
  end?: boolean;
}

/** `tacho terminal write` */
export async function writeSession(selector: string, text: string | undefined, options: WriteOptions): Promise<void> {
  const onlyKeys = text === undefined && process.stdin.isTTY;
  if (onlyKeys && !options.enter && !options.end) {
    throw usage('there is nothing to write', 'Give the text, pipe it in, or type yourself with: tacho terminal attach');
  }
  await withSession(selector, options, async (client, { session_id, kind }) => {
    let written = 0;
    const write = async (bytes: Buffer, end = false) => {
      const data = bytes.toString('base64');
      written += (await client.call('session.write', { session_id, data, encoding: 'base64', end })).written;
    };
    if (text !== undefined) await write(Buffer.from(text));
    else if (!onlyKeys) for await (const bytes of process.stdin) await write(bytes as Buffer);
    // The Enter key of a terminal is a carriage return; a program that reads a pipe expects lines.
    const lineEnd = kind === 'pty' ? '\r' : '\n';
    if (options.enter || options.end) await write(Buffer.from(options.enter ? lineEnd : ''), options.end);
    printAnswer(options, { written }, '');
  });
}

/** `tacho terminal resize` */
export async function resizeSession(selector: string, size: string, options: RuntimeOptions): Promise<void> {
  const wanted = screenSize('resize', size);
  await withSession(selector, options, async (client, { session_id }) => {
    printAnswer(options, await client.call('session.resize', { session_id, ...wanted }), '');
  });
}

/** `tacho terminal signal` */
export async function signalSession(selector: string, text: string, options: RuntimeOptions): Promise<void> {
  const signal = signalOf(text);
  await withSession(selector, options, async (client, { session_id, exited }) => {
    if (exited) {
      throw new TachoError('SESSION_TERMINATED', `the session ${session_id} has ended`, { facts: { session_id } });
    }
    const answer = await client.call('session.signal', { session_id, signal });
    const reached = `${signal} reached ${count(answer.reached, 'process', 'processes')}\n`;
    printAnswer(options, answer, answer.reached === 0 ? `nothing runs in it that ${signal} could reach\n` : reached);
  });
}

/** `tacho terminal kill` */
export async function killSessions(selectors: readonly string[], options: RuntimeOptions): Promise<void> {
  for (const selector of selectors) {
    await withSession(selector, options, async (client, { session_id, exited }) => {
      const session = await client.call('session.destroy', { session_id });
      printAnswer(options, session, `${session_id} ${exited ? 'had ended; it is forgotten' : 'ended'}\n`);
    });
  }
}

/** `int`, `SIGINT` or `2` */
function signalOf(text: string): string {
  const { signals } = constants;
  const name = text.toUpperCase().replace(/^(?!SIG)/, 'SIG');
  const numbered = Object.entries(signals).find(([, number]) => String(number) === text)?.[0];
  const known = numbered ?? (Object.hasOwn(signals, name) ? name : undefined);
  if (known !== undefined) return known;
  throw usage(`there is no signal ${text}`, 'Use a name such as INT, TERM, KILL or USR1, or a number.');
}
