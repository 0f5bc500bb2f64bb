import type { SessionInfo } from '../protocol/index.ts';
import type { RuntimeClient } from '../runtime/index.ts';
import { commandLine, formatTime, printable, table } from './format.ts';
import { usage } from './record-options.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { findSession, withRuntime } from './terminal-client.ts';

export interface WriteOptions extends RuntimeOptions {
  enter?: boolean;
  end?: boolean;
}

/** `tacho terminal ls` */
export async function listSessions(options: RuntimeOptions): Promise<void> {
  const answer = await withRuntime(options, (client) => client.call('session.list', {}));
  if (options.json) return print(options, answer, '');
  const rows = answer.sessions.map(({ session_id, kind, state, name, created_at, argv }) => [
    session_id,
    kind,
    state,
    printable(name ?? '-'),
    formatTime(created_at),
    commandLine(argv),
  ]);
  process.stdout.write(
    rows.length === 0 ? 'no sessions\n' : table([['id', 'kind', 'state', 'name', 'since', 'program'], ...rows]),
  );
}

/** `tacho terminal write` */
export async function writeSession(selector: string, text: string | undefined, options: WriteOptions): Promise<void> {
  await withSession(selector, options, async (client, { session_id }) => {
    let written = 0;
    const write = async (bytes: Buffer, end = false) => {
      const data = bytes.toString('base64');
      written += (await client.call('session.write', { session_id, data, encoding: 'base64', end })).written;
    };
    if (text !== undefined) await write(Buffer.from(text));
    else for await (const bytes of process.stdin) await write(bytes as Buffer);
    if (options.enter || options.end) await write(Buffer.from(options.enter ? '\n' : ''), options.end);
    print(options, { written }, '');
  });
}

/** `tacho terminal resize` */
export async function resizeSession(
  selector: string,
  [cols, rows]: readonly [string, string],
  options: RuntimeOptions,
): Promise<void> {
  for (const text of [cols, rows]) if (!/^\d+$/.test(text)) throw usage(`${text} is no size`, 'For example: 120 40');
  await withSession(selector, options, async (client, { session_id }) => {
    print(options, await client.call('session.resize', { session_id, cols: Number(cols), rows: Number(rows) }), '');
  });
}

/** `tacho terminal signal` */
export async function signalSession(selector: string, name: string, options: RuntimeOptions): Promise<void> {
  const signal = name.toUpperCase().replace(/^(?!SIG)/, 'SIG');
  await withSession(selector, options, async (client, { session_id }) => {
    const answer = await client.call('session.signal', { session_id, signal });
    print(options, answer, `${answer.reached} reached\n`);
  });
}

/** `tacho terminal kill` */
export async function killSession(selector: string, options: RuntimeOptions): Promise<void> {
  await withSession(selector, options, async (client, { session_id }) => {
    print(options, await client.call('session.destroy', { session_id }), `${session_id} ended\n`);
  });
}

async function withSession(
  selector: string,
  options: RuntimeOptions,
  act: (client: RuntimeClient, session: SessionInfo) => Promise<void>,
): Promise<void> {
  await withRuntime(options, async (client) => await act(client, await findSession(client, selector)));
}

function print({ json }: RuntimeOptions, answer: object, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : text);
}
