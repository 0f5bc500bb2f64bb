import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, pollUntil, takeFolderFlock, writeWhole } from '../../files/index.ts';
import { TachoError } from '../../protocol/error-code.ts';
import { dataFolderOf } from '../data-folder.ts';
import type { LoadConfigRequest } from '../overlays.ts';
import { makePrivateFolder } from '../private-folder.ts';
import { type ConfigProblem, printable, throwIfAny } from '../problem.ts';
import { readSmallFile } from '../sources/config-file.ts';
import { readFileLayer } from '../sources/file-layer.ts';
import { type StandardFile, userFile, workspaceFile } from '../sources/standard-files.ts';
import { isBelow, realFolder } from '../trust/workspace-folder.ts';

/** Which file to change: the user's or the workspace's. */
export interface EditRequest extends Pick<LoadConfigRequest, 'workspaceRoot' | 'env' | 'dataFolder'> {
  file: 'user' | 'workspace';
}

const LOCK_POLL_MS = 20;
const LOCK_TIMEOUT_MS = 10_000;

/**
 * Replaces the content of the file atomically. One editor at a time, so that none overwrites another's changes. Writes
 * nothing when `change` throws.
 */
export async function changeFile(
  request: EditRequest,
  change: (file: StandardFile, before: string) => string,
): Promise<StandardFile> {
  const file = fileOf(request);
  const target = placeFor(request, file);
  const folder = path.dirname(file.path);
  const lock = await pollUntil(() => takeFolderFlock(folder), { everyMs: LOCK_POLL_MS, timeoutMs: LOCK_TIMEOUT_MS });
  if (lock === null) throw new TachoError('CONFIG_INVALID', `another command is changing ${file.name}; try again`);
  try {
    const after = change(file, readText(file));
    const mode = request.file === 'user' ? {} : { mode: modeOf(target) };
    orUnwritable(request, file, () => writeWhole(target, after, { durable: true, ...mode }));
  } finally {
    lock.release();
  }
  return file;
}

function fileOf({ file, workspaceRoot, dataFolder, env }: EditRequest): StandardFile {
  return file === 'user' ? userFile(dataFolder ?? dataFolderOf(env)) : workspaceFile(workspaceRoot);
}

/** Creates the folder of the file, and resolves links. The file of a workspace must not be outside of it. */
function placeFor(request: EditRequest, file: StandardFile): string {
  const folder = path.dirname(file.path);
  const target = orUnwritable(request, file, () => {
    if (request.file === 'user') makePrivateFolder(folder);
    else fs.mkdirSync(folder, { recursive: true });
    if (fs.existsSync(file.path)) return fs.realpathSync(file.path);
    return path.join(fs.realpathSync(folder), path.basename(file.path));
  });
  if (request.file === 'user' || isBelow(realFolder(request.workspaceRoot), target)) return target;
  throw new TachoError('CONFIG_INVALID', `${file.name} leads out of the folder, to ${printable(target)}`, {
    fix: 'Change that file by hand, or replace the link with a file.',
  });
}

function modeOf(file: string): number {
  return fs.existsSync(file) ? fs.statSync(file).mode & 0o777 : 0o666 & ~process.umask();
}

/** The current content; a file with invalid YAML is not changed. */
function readText(file: StandardFile): string {
  const content = readSmallFile(file.path);
  if (content.kind === 'absent') return '';
  const problems: ConfigProblem[] = [];
  readFileLayer({ ...file, content }, problems);
  throwIfAny(problems.filter(({ path: key }) => key === undefined));
  return content.kind === 'bytes' ? content.bytes.toString() : '';
}

/** Converts a system error, such as a read-only disk, to an error that names the file. */
function orUnwritable<T>(request: EditRequest, file: StandardFile, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const errno = errnoOf(cause);
    if (errno === undefined) throw cause;
    const code = request.file === 'user' ? 'DATA_FOLDER_UNWRITABLE' : 'CONFIG_INVALID';
    throw new TachoError(code, `${printable(file.name)} cannot be written (${errno})`, {
      facts: { path: file.path, errno },
      fix: 'Check its permissions, those of its folder and the space on the disk.',
      cause,
    });
  }
}
