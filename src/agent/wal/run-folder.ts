import { lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createOnce, errnoOf } from '../../files/index.ts';
import { syncFolder } from '../../files/sync-folder.ts';
import { claimFailure } from '../../journal/file/file-errors.ts';
import { AGENT_RUNS_FOLDER, EVENTS_FILE, TachoError } from '../../protocol/index.ts';

/** Where the parts of an agent run are. All paths are absolute. */
export interface RunPaths {
  runId: string;
  folder: string;
  /** The log; its path is the `wal_locator`. */
  log: string;
  vault: string;
  head: string;
  /** Long outputs, without secrets. */
  artifacts: string;
}

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const PRIVATE = 0o700;

export function isAgentRunId(name: string): boolean {
  return RUN_ID.test(name);
}

export function runPaths(workspaceRoot: string, runId: string): RunPaths {
  if (!isAgentRunId(runId)) {
    throw new TachoError('INVALID_PARAMS', `invalid run id ${JSON.stringify(runId)}`, {
      facts: { run_id: runId },
      fix: 'Use letters, digits, "-", "_" and ".", at most 128, beginning with a letter or digit.',
    });
  }
  return pathsIn(path.join(runsFolder(workspaceRoot), runId));
}

/** The parts of the run whose folder this is; it has the id as its name. */
export function pathsIn(folder: string): RunPaths {
  return {
    runId: path.basename(folder),
    folder,
    log: path.join(folder, EVENTS_FILE),
    vault: path.join(folder, 'vault'),
    head: path.join(folder, 'head'),
    artifacts: path.join(folder, 'artifacts'),
  };
}

export function runsFolder(workspaceRoot: string): string {
  return path.resolve(workspaceRoot, AGENT_RUNS_FOLDER);
}

/** Makes the folder of a new run. Git ignores it, also where a `.tacho` folder was there before. */
export function makeRunFolder(workspaceRoot: string, paths: RunPaths): void {
  const runs = runsFolder(workspaceRoot);
  const own = path.dirname(runs);
  try {
    if (makeFolder(own)) createOnce(path.join(own, '.gitignore'), '*\n');
    if (makeFolder(runs)) createOnce(path.join(runs, '.gitignore'), '*\n');
    if (!makeFolder(paths.folder)) throw runExists(paths);
    makeFolder(paths.artifacts);
  } catch (error) {
    throw claimFailure(error, paths.folder);
  }
}

/** The folder of a run that is there. A link in place of any of these folders could lead anywhere, so it is refused. */
export function checkRunFolder(workspaceRoot: string, paths: RunPaths): void {
  const runs = runsFolder(workspaceRoot);
  for (const folder of [path.dirname(runs), runs, paths.folder]) {
    if (!isFolder(folder)) throw runMissing(paths);
  }
}

/** True if it was not there before. */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: PRIVATE });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    if (isFolder(folder)) return false;
    throw notAFolder(folder);
  }
  syncFolder(path.dirname(folder));
  return true;
}

/** False if there is nothing. */
function isFolder(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found !== undefined;
  throw notAFolder(folder);
}

function notAFolder(folder: string): TachoError {
  return new TachoError('DATA_FOLDER_UNWRITABLE', `${folder} is not a folder, or it is a link`, {
    facts: { path: folder },
    fix: 'Remove it; tacho keeps the logs of agents there.',
  });
}

function runExists({ runId, folder }: RunPaths): TachoError {
  return new TachoError('RUN_EXISTS', `there is already a run "${runId}"`, {
    facts: { run_id: runId, path: folder },
    fix: 'Choose another id, or resume the run.',
  });
}

function runMissing({ runId, folder }: RunPaths): TachoError {
  return new TachoError('RUN_NOT_FOUND', `there is no run "${runId}" at ${folder}`, {
    facts: { run_id: runId, path: folder },
  });
}
