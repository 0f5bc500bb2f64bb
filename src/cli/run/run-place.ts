import fs from 'node:fs';
import path from 'node:path';
import type { NewRun } from '../../client/index.ts';
import { findRun, readRunRecord } from '../../recording/index.ts';
import { openJournal, type RunContext, readFolded, recordedRequest } from '../../runs/index.ts';
import type { RunOptions } from '../commands/run.ts';
import { usage } from './record-options.ts';

/** In which folder and with whose environment a run works; what is left out is decided where it is recorded. */
export type RunPlace = Pick<NewRun, 'cwd' | 'environment'>;

/** The folder the options name: the current directory, unless the run is to have one of its own. */
export function folderOf({ cwd, scratch, runDir, queue, detach }: RunOptions): string | undefined {
  if (scratch && cwd !== undefined) throw usage('--scratch and --cwd name two folders', 'Leave one of them out.');
  if (scratch && runDir !== undefined) {
    throw usage('--run-dir works in the folder of that run; --scratch asks for a new one', 'Leave one of them out.');
  }
  if (cwd !== undefined) return path.resolve(cwd);
  return scratch || runDir !== undefined || queue || detach ? undefined : process.cwd();
}

/** A command runs as the caller does, unless told otherwise; a further attempt runs as the one before it. */
export async function placeOf(engine: string | undefined, options: RunOptions, context: RunContext): Promise<RunPlace> {
  const cwd = folderOf(options);
  const { runDir } = options;
  if (runDir === undefined) return { cwd, environment: environmentFor(engine, options) };
  const folder = findRun(context.home.runs, runDir);
  // Refuses what this version cannot continue.
  readRunRecord(folder);
  // From its events: the program of the attempt before could have written the other files.
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
