import { formatDuration } from '../../config/index.ts';
import { isRunning, pollUntil } from '../../files/index.ts';
import type { RuntimeResult } from '../../protocol/index.ts';
import { findServer, locateRuntime, type RuntimeClient } from '../../runtime/index.ts';
import { count, formatTime, printable, table } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { MECHANISM_OPTIONS } from './mechanisms.ts';
import { printAnswer, type RuntimeOptions } from './runtime-options.ts';
import { ageOf } from './terminal-describe.ts';
import { describeLimits } from './terminal-info.ts';

/** Ending a session takes up to five seconds by default, more if it was given a longer grace period. */
const NOTICE_AFTER_MS = 8000;

/** `tacho runtime status` */
export async function status(options: RuntimeOptions): Promise<void> {
  await withServer(options, async (client) => {
    const found = await client.call('runtime.status', {});
    printAnswer(options, { running: true, ...found }, describe(found));
  });
}

/** `tacho runtime cleanup` */
export async function cleanup(options: RuntimeOptions): Promise<void> {
  await withServer(options, async (client) => {
    const ended = await client.call('runtime.cleanup', {});
    printAnswer(
      options,
      { running: true, ...ended },
      `${count(ended.sessions, 'session')} ended${closedAgents(ended.children)}\n`,
    );
  });
}

/** `tacho runtime stop` */
export async function stop(options: RuntimeOptions): Promise<void> {
  await withServer(options, async (client) => {
    const { pid } = await client.call('runtime.status', {});
    await client.call('runtime.shutdown', {});
    client.close();
    const noticeTimer = setTimeout(
      () => process.stderr.write(`tacho: process ${pid} still ends its sessions\n`),
      NOTICE_AFTER_MS,
    );
    await pollUntil(() => !isRunning({ pid }), { everyMs: 10 });
    clearTimeout(noticeTimer);
    printAnswer(options, { running: false, stopped: true }, 'stopped\n');
  });
}

function describe(found: RuntimeResult<'runtime.status'>): string {
  const { pid, started_at, sessions, children, registry, defaults } = found;
  const limits = describeLimits(defaults.limits);
  const daemon = `process ${pid}, tacho ${found.version}, since ${formatTime(started_at)} (${ageOf(started_at)})`;
  const lines = [
    ['daemon', daemon],
    ['sessions', `${sessions.active} active, ${sessions.max} at most`],
    ['timeout', defaults.timeout_ms === null ? 'none' : `${formatDuration(defaults.timeout_ms)} for each command`],
    ...(limits === '' ? [] : [['limits', limits]]),
    ...(found.socket_secret === 'optional' ? [['socket', 'open to your user without the secret']] : []),
    ['agents', describeChildren(children)],
    ...(registry
      ? [['registry', `${count(registry.entries, 'entry', 'entries')} in ${printable(registry.path)}`]]
      : []),
    ...found.targets.map(({ target, connected, why }) => [target, connected ? 'connected' : `not reached: ${why}`]),
  ];
  const facts = table(lines.map(([label, text]) => [`  ${label}`, text!]));
  return `${paint.bold(printable(found.workspace))}\n${facts}\nAvailable here:\n${mechanismTable(found)}`;
}

function describeChildren({ active, waiting, max }: RuntimeResult<'runtime.status'>['children']): string {
  return `${active} active${waiting === 0 ? '' : `, ${waiting} waiting for a decision`}, ${max} at most`;
}

function closedAgents(children: number): string {
  return children === 0 ? '' : `, ${count(children, 'agent')} closed`;
}

function mechanismTable({ mechanisms }: RuntimeResult<'runtime.status'>): string {
  const rows = Object.entries(mechanisms).map(([name, { works, why }]) => [
    `  ${MECHANISM_OPTIONS[name] ?? name}`,
    works ? paint.green('yes') : `${paint.yellow('no')}: ${printable(why ?? 'reason unknown')}`,
  ]);
  return table(rows);
}

async function withServer(options: RuntimeOptions, act: (client: RuntimeClient) => Promise<void>): Promise<void> {
  const workspace = options.workspace ?? process.cwd();
  const client = await findServer(workspace);
  if (!client) {
    const { workspace: served } = locateRuntime(workspace);
    return printAnswer(
      options,
      { running: false },
      `no daemon serves ${served}; tacho terminal starts one when needed\n`,
    );
  }
  try {
    await act(client);
  } finally {
    client.close();
  }
}
