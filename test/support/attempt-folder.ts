import fs from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './tacho.ts';

/** One piece of what a program printed or was given, and how many seconds after the piece before. */
export type Piece = ['stdout' | 'stderr' | 'input' | 'terminal', string, number];

export interface FolderAttempt {
  pieces: readonly Piece[];
  /** Files to leave out, by name without number and ending. */
  without?: readonly string[];
  meta?: object | string;
  diff?: object | string;
}

const START = '2026-11-16T12:00:00.000Z';

/**
 * A folder as a recorder writes it that runs a program under `script` and `strace`: streams rebuilt from the trace,
 * the terminal with its times, and what was typed.
 */
export function writeAttemptFolder(attempts: readonly FolderAttempt[]): string {
  const folder = temporaryFolder();
  const audit = path.join(folder, '.audit');
  fs.mkdirSync(audit);
  attempts.forEach((attempt, index) => {
    for (const [name, content] of Object.entries(filesOf(attempt))) {
      const [kind, ending] = name.split('.') as [string, string];
      if (attempt.without?.includes(kind)) continue;
      fs.writeFileSync(path.join(audit, `${kind}.${index + 1}.${ending}`), content);
    }
  });
  return folder;
}

function filesOf({ pieces, meta, diff }: FolderAttempt): Record<string, string> {
  const streamed = (stream: string) =>
    pieces
      .filter(([kind]) => kind === stream)
      .map(([, text]) => text)
      .join('');
  // A terminal ends lines with a carriage return and a line feed.
  const shown = (text: string) => text.replaceAll('\n', '\r\n');
  const header = `Script started on ${START.replace('T', ' ').replace('.000Z', '+00:00')} [COMMAND="agent" TERM="xterm" COLUMNS="120" LINES="40"]\n`;
  const trailer = '\nScript done on 2026-11-16 12:01:00+00:00 [COMMAND_EXIT_CODE="0"]\n';
  const output = pieces
    .filter(([kind]) => kind !== 'input')
    .map(([, text]) => shown(text))
    .join('');
  const timing = pieces.map(([kind, text, after]) => {
    const bytes = kind === 'input' ? text : shown(text);
    return `${kind === 'input' ? 'I' : 'O'} ${after.toFixed(6)} ${Buffer.byteLength(bytes)}\n`;
  });
  const writes = pieces.flatMap(([kind, text]) =>
    kind === 'stdout' || kind === 'stderr' ? [traceLine(kind === 'stdout' ? 1 : 2, text)] : [],
  );
  return {
    'stdout.log': streamed('stdout'),
    'stderr.log': streamed('stderr'),
    'stdin.log': `${header}${streamed('input')}${trailer}`,
    'pty-output.log': `${header}${output}${trailer}`,
    'pty-timing.log': `H 0.000000 START_TIME ${START}\n${timing.join('')}H 0.000000 EXIT_CODE 0\n`,
    'fd-trace.log': writes.join(''),
    ...(meta === undefined ? {} : { 'meta.json': asText(meta) }),
    ...(diff === undefined ? {} : { 'fs-diff.json': asText(diff) }),
  };
}

function traceLine(fd: number, text: string): string {
  const bytes = Buffer.byteLength(text);
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `4711 write(${fd}</dev/pts/3<char 136:3>>, "${escaped}", ${bytes}) = ${bytes}\n`;
}

function asText(value: object | string): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
