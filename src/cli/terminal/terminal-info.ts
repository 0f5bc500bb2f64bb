import { formatByteSize } from '../../config/index.ts';
import type { SessionInfo, SessionLimits } from '../../protocol/index.ts';
import { splitSessionId } from '../../runtime/targets/target-name.ts';
import { commandLine, count, formatBytes, formatTime, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { printAnswer, type RuntimeOptions } from './runtime-options.ts';
import { withSession } from './terminal-client.ts';
import { ageOf, endText } from './terminal-describe.ts';

const LIMIT_TEXT: { [K in keyof Required<SessionLimits>]: (value: number) => string } = {
  memory_bytes: (value) => `memory ${formatByteSize(value)}`,
  processes: (value) => count(value, 'process', 'processes'),
  cpu_percent: (value) => `${value}% of a processor`,
  cpu_seconds: (value) => `CPU ${value} s`,
  open_files: (value) => count(value, 'open file'),
  file_bytes: (value) => `files of ${formatByteSize(value)}`,
  nice: (value) => `nice ${value}`,
};

/** `tacho terminal info` */
export async function showSession(selector: string, options: RuntimeOptions): Promise<void> {
  const session = await withSession(selector, options, async (_, found) => found);
  printAnswer(options, session, describe(session));
}

function describe(session: SessionInfo): string {
  const { kind, cols, rows, split, pid, created_at, active_at, recording, end, limits, sandbox } = session;
  const state = end ? `ended: ${endText(end)}` : session.state;
  const lines: [string, string | null][] = [
    ['name', session.name && printable(session.name)],
    ['kind', `${kind}${cols === null ? '' : ` ${cols}x${rows}`}${split ? ', stdout and stderr separate' : ''}`],
    ['program', commandLine(session.argv)],
    ['folder', printable(session.cwd)],
    ['target', splitSessionId(session.session_id)?.target ?? null],
    ['process', end || pid === null ? null : String(pid)],
    ['command', session.exec_id && kind === 'shell' ? session.exec_id : null],
    ['created', `${formatTime(created_at)}, ${ageOf(created_at)} ago`],
    ['last used', `${formatTime(active_at)}, ${ageOf(active_at)} ago`],
    ['attached', session.attached > 0 ? count(session.attached, 'client') : null],
    ['variables', session.env_names.join(' ')],
    ['limits', describeLimits(limits)],
    ['sandbox', sandbox && describeSandbox(sandbox)],
    ['recording', recording && `${recording.run_id}, ${recording.sealed ? 'sealed' : 'not sealed yet'}`],
    ...Object.entries(session.streams).map(([name, stream]): [string, string] => [name, describeStream(stream)]),
  ];
  const shown = lines.filter(([, text]) => text).map(([label, text]) => `  ${label.padEnd(10)} ${text}\n`);
  return `${paint.bold(session.session_id)}  ${end ? paint.dim(state) : paint.green(state)}\n${shown.join('')}`;
}

function describeStream({ start, end, closed }: NonNullable<SessionInfo['streams']['stdout']>): string {
  const gone = start > 0 ? `, the first ${formatBytes(start)} are gone` : '';
  return `${formatBytes(end)}${gone}${closed ? '' : ', open'}`;
}

export function describeLimits(limits: SessionLimits): string {
  const given = Object.entries(limits) as [keyof SessionLimits, number][];
  return given.map(([name, value]) => LIMIT_TEXT[name](value)).join(' · ');
}

function describeSandbox(sandbox: NonNullable<SessionInfo['sandbox']>): string {
  const { profile, network, workspace } = sandbox;
  const words = { read: 'reads', write: 'writes', hide: 'without', fixed: 'keeps' } as const;
  const views = (Object.keys(words) as (keyof typeof words)[]).flatMap((view) =>
    sandbox[view].map((one) => `${words[view]} ${printable(one)}`),
  );
  return [
    ...(profile === undefined ? [] : [`profile ${profile}`]),
    `network ${network}`,
    `workspace ${workspace === 'read' ? 'read-only' : 'writable'}`,
    ...views,
  ].join(' · ');
}
