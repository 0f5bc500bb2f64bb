import os from 'node:os';
import { handleOf } from '../../recording/index.ts';
import type { WatchProgress } from '../../runs/index.ts';
import { count, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { canRewrite } from '../output/terminal-abilities.ts';

const MAX_TITLE = 60;

/** Prints what a watch does, a line each; on a terminal, the news of one session replace each other. */
export function createProgressLines(out: NodeJS.WriteStream): (progress: WatchProgress) => void {
  const rewrites = canRewrite(out);
  /** The run whose news are on the last line. */
  let last: string | null = null;

  return (progress) => {
    const line = describe(progress);
    const run = progress.kind === 'read' ? progress.run_id : null;
    const replaces = rewrites && last !== null && 'run_id' in progress && progress.run_id === last;
    out.write(`${replaces ? '\u001b[1A\r\u001b[K' : ''}${line}\n`);
    last = run;
  };
}

function describe(progress: WatchProgress): string {
  switch (progress.kind) {
    case 'ready':
      return paint.dim(`${progress.engine}: following ${short(progress.root)} (${count(progress.files, 'session')})`);
    case 'refused':
      return paint.yellow(`! ${progress.engine}: skipped ${short(progress.path)}: a link or not a regular file`);
    case 'failed':
      return paint.red(`✖ ${progress.engine}: ${short(progress.path)}: ${printable(progress.error.message)}`);
    case 'opened':
      return `${head('●', progress)} ${progress.continued ? 'continues' : 'new session'}${place(progress)}`;
    case 'read':
      return `${head(' ', progress)} ${news(progress)}${title(progress)}`;
    case 'sealed':
      return `${head(paint.green('✔'), progress)} sealed · ${progress.status} · ${news(progress)}${title(progress)}`;
  }
}

type SessionProgress = Extract<WatchProgress, { kind: 'opened' | 'read' | 'sealed' }>;

function head(sign: string, { engine, run_id }: SessionProgress): string {
  return `${sign} ${engine} ${handleOf(run_id)}`;
}

function place({ cwd }: SessionProgress): string {
  return cwd === null ? '' : ` in ${short(cwd)}`;
}

function title({ title: text }: SessionProgress): string {
  if (text === null) return '';
  const line = printable(text.replaceAll(/\s+/g, ' ').trim());
  return paint.dim(` · ${line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line}`);
}

function news({ messages, calls, usage }: SessionProgress): string {
  const tokens = usage?.total_tokens ?? null;
  return [
    count(messages, 'message'),
    ...(calls > 0 ? [count(calls, 'tool call')] : []),
    ...(tokens ? [`${tokens.toLocaleString('en')} tokens`] : []),
  ].join(' · ');
}

function short(file: string): string {
  const home = os.homedir();
  return printable(file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file);
}
