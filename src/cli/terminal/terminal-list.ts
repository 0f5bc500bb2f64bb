import path from 'node:path';
import type { SessionInfo } from '../../protocol/index.ts';
import { splitSessionId } from '../../runtime/targets/target-name.ts';
import { commandLine, printable, table } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { keepColumns } from '../output/terminal-abilities.ts';
import { printAnswer, type RuntimeOptions } from './runtime-options.ts';
import { idThere, withRunning } from './terminal-client.ts';
import { ageOf, endWord } from './terminal-describe.ts';

const MAX_NAME_LENGTH = 14;
const HANDLE_DIGITS = 8;
const HEAD = ['ID', 'KIND', 'STATE', 'NAME', 'AGE', 'RUN', 'TARGET', 'PROGRAM'];

/** `tacho terminal ls` */
export async function listSessions(options: RuntimeOptions): Promise<void> {
  const { sessions } = (await withRunning(options, (client) => client.call('session.list', {}))) ?? { sessions: [] };
  const none = 'no sessions; open one with: tacho terminal create\n';
  printAnswer(options, { sessions }, sessions.length === 0 ? none : asTable(sessions, process.stdout.columns));
}

/** Omits empty columns, and cuts lines at the width of the terminal. */
function asTable(sessions: readonly SessionInfo[], width: number | undefined): string {
  const rows = [HEAD, ...sessions.map(rowOf)];
  const used = HEAD.map((_, column) => rows.slice(1).some((row) => row[column] !== ''));
  const lines = table(rows.map((row) => row.filter((_, column) => used[column]))).split('\n');
  const [head, ...body] = lines.slice(0, -1).map((line) => shorten(line, width));
  const painted = body.map((line, index) => (sessions[index]!.exited ? paint.dim(line) : line));
  return keepColumns(`${[paint.bold(head!), ...painted].join('\n')}\n`);
}

function rowOf(session: SessionInfo): string[] {
  const { session_id, kind, state, name, created_at, argv, cols, rows, recording, end } = session;
  return [
    idThere(session_id),
    cols === null ? kind : `${kind} ${cols}x${rows}`,
    end === null ? state : `ended (${endWord(end)})`,
    shorten(printable(name ?? ''), MAX_NAME_LENGTH),
    ageOf(created_at),
    recording?.run_id.slice(-HANDLE_DIGITS) ?? '',
    splitSessionId(session_id)?.target ?? '',
    // The options of a shell are an implementation detail.
    kind === 'shell' ? path.basename(argv[0] ?? '') : commandLine(argv),
  ];
}

function shorten(text: string, most = Number.POSITIVE_INFINITY): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
