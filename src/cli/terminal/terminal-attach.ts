import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SessionInfo, type StreamName, TachoError } from '../../protocol/index.ts';
import type { RuntimeClient } from '../../runtime/index.ts';
import { withCarriageReturns } from '../output/carriage-returns.ts';
import { printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { writeOut } from '../output/write-out.ts';
import { usage } from '../run/record-options.ts';
import { openAnswering } from './open-answering.ts';
import { OwnTerminal } from './own-terminal.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { withSession } from './terminal-client.ts';
import { endText } from './terminal-describe.ts';
import { afterSignal, nextSignal } from './terminal-exit.ts';

export interface AttachOptions extends RuntimeOptions {
  readOnly?: boolean;
}

type Left = { by: 'key' } | { by: 'signal'; signal: NodeJS.Signals } | { by: 'end'; end: SessionInfo['end'] };

/** How long to show the detach hint before drawing the session's screen. */
const NOTICE_MS = 800;
const DETACH_MS = 1000;

/** `tacho terminal attach`: ends with the session, or with Ctrl-]. */
export async function attachSession(selector: string, options: AttachOptions): Promise<void> {
  await withSession(selector, options, async (client, session) => {
    if (session.kind !== 'pty') {
      throw usage(`a ${session.kind} session has no screen`, 'Follow it with: tacho terminal read --follow');
    }
    const left = await attach(client, session, options.readOnly ?? false);
    process.stderr.write(paint.dim(`${detachNotice(left)}\n`));
    if (left.by === 'signal') process.exitCode = afterSignal(left.signal);
  });
}

async function attach(client: RuntimeClient, session: SessionInfo, readOnly: boolean): Promise<Left> {
  const { session_id } = session;
  const client_id = randomUUID();
  const signaled = nextSignal().then((signal): Left => ({ by: 'signal', signal }));
  const resize = (size: { cols: number; rows: number }) => {
    if (!readOnly) client.call('session.resize', { session_id, ...size }).catch(() => {});
  };
  const onKeys = (keys: Buffer) => {
    const params = { session_id, data: keys.toString('base64'), encoding: 'base64' } as const;
    // The session may have ended meanwhile.
    client.call('session.write', params).catch(() => {});
  };
  const answering = readOnly ? null : await openAnswering(onKeys);
  const person = OwnTerminal.take({ use: readOnly ? 'look' : 'attach', onKeys, onResize: resize, answering });
  try {
    const leaving = person ? [signaled, person.left.then((): Left => ({ by: 'key' }))] : [signaled];
    if (person?.keyboard) {
      resize({ cols: process.stdout.columns, rows: process.stdout.rows });
      process.stderr.write(paint.dim(`${attachNotice(session, readOnly)}\r\n`));
      await Promise.race([pause(NOTICE_MS), person.firstKey, signaled]);
    }
    return await Promise.race([...leaving, showToEnd(client, session, { client_id, person })]);
  } finally {
    // First, because our terminal may have hung up, and writing to it would end the process.
    await Promise.race([client.call('session.detach', { session_id, client_id }).catch(() => {}), pause(DETACH_MS)]);
    person?.restore();
    process.stdin.destroy();
  }
}

interface Screen {
  client_id: string;
  person: OwnTerminal | null;
}

/** Shows the current screen, and everything after it. */
async function showToEnd(client: RuntimeClient, session: SessionInfo, screen: Screen): Promise<Left> {
  const { session_id } = session;
  try {
    while (!(await showUntilBehind(client, session, screen)));
    return { by: 'end', end: (await client.call('session.info', { session_id })).end };
  } catch (error) {
    if (error instanceof TachoError && error.code === 'SESSION_NOT_FOUND') return { by: 'end', end: null };
    throw error;
  }
}

/** False when our terminal was too slow and bytes were dropped: the screen has to be redrawn. */
async function showUntilBehind(client: RuntimeClient, session: SessionInfo, screen: Screen): Promise<boolean> {
  const { session_id, split } = session;
  const { client_id, person } = screen;
  const { snapshot, next, next_stderr } = await client.call('session.attach', { session_id, client_id });
  await (person ? person.draw(snapshot ?? '') : writeOut(process.stdout, Buffer.from(snapshot ?? '')));
  let behind = false;
  const follow = async (stream: StreamName, after: number): Promise<void> => {
    for await (const bytes of client.follow(session_id, { stream, after })) {
      if (behind) return;
      await (person ? person.show(split ? withCarriageReturns(bytes) : bytes) : writeOut(process.stdout, bytes));
    }
  };
  try {
    await Promise.all([follow('stdout', next), next_stderr !== null && follow('stderr', next_stderr)]);
    return true;
  } catch (error) {
    behind = true;
    if (error instanceof TachoError && error.code === 'RESOURCE_PRESSURE') return false;
    throw error;
  }
}

function attachNotice({ session_id, name, cols, rows }: SessionInfo, readOnly: boolean): string {
  const called = name === null ? session_id : `${printable(name)} (${session_id})`;
  if (!readOnly) return `attached to ${called}; Ctrl-] leaves it running`;
  const { columns, rows: ownRows } = process.stdout;
  const larger = cols! > columns || rows! > ownRows ? `; it has ${cols}x${rows}, more than fits here` : '';
  return `looking at ${called}; Ctrl-] or Ctrl-C leaves it${larger}`;
}

function detachNotice(left: Left): string {
  if (left.by === 'end') return `the session has ended: ${left.end ? endText(left.end) : 'it was ended'}`;
  return 'left; the session keeps running';
}

function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
