import { findEngine, listEngines } from '../../engines/index.ts';
import { type SessionFolder, SessionWatch, sessionFolderOf, type WatchProgress } from '../../runs/index.ts';
import type { WatchCommandOptions } from '../commands/watch.ts';
import { openContext } from '../context.ts';
import { durationOf, usage } from '../run/record-options.ts';
import { stopSignal, untilAborted } from '../stop-signal.ts';
import { createProgressLines } from './progress-lines.ts';

const DEFAULT_IDLE_MS = 5 * 60_000;

/** `tacho watch`: follows session files until a signal, or reads them once. */
export async function watchEngines(names: readonly string[], options: WatchCommandOptions): Promise<void> {
  const context = openContext(options);
  const sessions = names.length === 0 ? allFolders() : names.map(folderOf);
  const signal = stopSignal();
  const show = options.json ? printJson : createProgressLines(process.stdout);
  const watch = await SessionWatch.open({
    context,
    sessions,
    since: sinceOf(options),
    idleMs: durationOf('--idle', options.idle) ?? DEFAULT_IDLE_MS,
    signal,
    onProgress: show,
  });
  try {
    if (options.once || signal.aborted) return;
    watch.follow();
    await untilAborted(signal);
  } finally {
    await watch.stop();
  }
}

function allFolders(): SessionFolder[] {
  return listEngines().flatMap((profile) => sessionFolderOf(profile, process.env) ?? []);
}

function folderOf(name: string): SessionFolder {
  const profile = findEngine(name);
  const folder = profile && sessionFolderOf(profile, process.env);
  if (folder) return folder;
  const known = allFolders().map(({ profile: { name: engine } }) => engine);
  const problem = profile ? `tacho cannot read the session files of ${name}` : `unknown engine "${name}"`;
  throw usage(problem, `Use ${known.join(', ')}.`);
}

/** Milliseconds since the epoch; null: only what is written from now on. */
function sinceOf({ since, once }: WatchCommandOptions): number | null {
  if (since === undefined) return once ? 0 : null;
  if (/^\d{4}-/.test(since)) {
    const time = Date.parse(since);
    if (!Number.isNaN(time)) return time;
    throw usage(`--since ${since} is not a date`, 'For example: --since 2026-11-01, --since 7d');
  }
  return Date.now() - durationOf('--since', since)!;
}

function printJson(progress: WatchProgress): void {
  const told = progress.kind === 'failed' ? { ...progress, error: progress.error.message } : progress;
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
