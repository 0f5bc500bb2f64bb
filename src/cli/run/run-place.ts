import fs from 'node:fs';
import path from 'node:path';
import type { NewRun } from '../../client/index.ts';
import { findRun, readRunRecord } from '../../recording/index.ts';
import { openJournal, type RunContext, readFolded, recordedRequest } from '../../runs/index.ts';
import type { RunOptions } from '../commands/run.ts';
import { usage } from './record-options.ts';

/** The folder and environment of a run; the recording process decides on omitted fields. */
export type RunPlace = Pick<NewRun, 'cwd' | 'environment'>;

/** The folder from the options: the current directory, unless the run gets its own. */
export function folderOf({ cwd, scratch, runDir, queue, detach }: RunOptions): string | undefined {
  if (scratch && cwd !== undefined) throw usage('--scratch and --cwd name two folders', 'Leave one of them out.');
  if (scratch && runDir !== undefined) {
    throw usage('--run-dir works in the folder of that run; --scratch asks for a new one', 'Leave one of them out.');
  }
  if (cwd !== undefined) return path.resolve(cwd);
  return scratch || runDir !== undefined || queue || detach ? undefined : process.cwd();
}

/** A command inherits the caller's environment by default; a further attempt uses that of the previous one. */
export async function placeOf(engine: string | undefined, options: RunOptions, context: RunContext): Promise<RunPlace> {
  const cwd = folderOf(options);
  const { runDir } = options;
  if (runDir === undefined) return { cwd, environment: environmentFor(engine, options) };
  const folder = findRun(context.home.runs, runDir);
  // Rejects runs that this version cannot continue.
  readRunRecord(folder);
  // From its events: the previous attempt's program could have written the other files.
  const before = await readFolded(folder, openJournal(folder, context.config));
  const isMissingWork = before.cwd === folder.work && !fs.existsSync(folder.work);
  const sameKind = recordedRequest(before)?.environment === 'inherited';
  return {
    cwd: cwd ?? (isMissingWork ? undefined : before.cwd),
    environment: sameKind ? environmentFor(engine, options) : undefined,
  };
}

function environmentFor(engine: string | undefined, { isolate, queue, detach }: RunOptions): RunPlace['environment'] {
  return engine !== undefined || isolate || queue || detach ? undefined : 'inherited';
}
