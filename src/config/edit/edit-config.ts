import fs from 'node:fs';
import path from 'node:path';
import { pollUntil, takeFolderFlock, writeWhole } from '../../files/index.ts';
import { TachoError } from '../../protocol/error-code.ts';
import { checkValue } from '../check-value.ts';
import { dataFolderOf } from '../data-folder.ts';
import { configFields } from '../field-table.ts';
import { type ConfigKey, findConfigKey } from '../find-key.ts';
import { entryPathOf, splitPath } from '../key-path.ts';
import { type LoadConfigRequest, loadConfig } from '../overlays.ts';
import { makePrivateFolder } from '../private-folder.ts';
import { type ConfigProblem, printable, throwIfAny } from '../problem.ts';
import { readField } from '../settings.ts';
import { readSmallFile } from '../sources/config-file.ts';
import { readFileLayer } from '../sources/file-layer.ts';
import { locate } from '../sources/located.ts';
import { type StandardFile, userFile, workspaceFile } from '../sources/standard-files.ts';
import { isBelow, realFolder } from '../trust/workspace-folder.ts';
import { setInYaml, unsetInYaml } from './edit-yaml.ts';
import { valueToWrite } from './value-to-write.ts';

/** Which file to change: that of the user, or that of the folder. */
export interface EditRequest extends Pick<LoadConfigRequest, 'workspaceRoot' | 'env' | 'dataFolder'> {
  file: 'user' | 'workspace';
}

const LOCK_POLL_MS = 20;
const LOCK_TIMEOUT_MS = 10_000;
/** Values on the command line have one place. */
const COMMAND_LINE = { kind: 'session', name: 'command line' } as const;

/** Sets a key in the file, checked before anything is written. The name of the file. */
export async function setConfig(request: EditRequest, keyPath: string, text: string): Promise<StandardFile> {
  const key = findConfigKey(keyPath);
  const { field } = key;
  if (field === undefined) {
    const keys = configFields.sections.get(key.path)!.join(', ');
    throw new TachoError('CONFIG_INVALID', `${key.path} is a section; set one of its keys: ${keys}`);
  }
  const value = valueToWrite(key, text);
  checkAlone(key, value);
  return await edit(request, (file, before) => {
    const after = setOrExplain(file, () => setInYaml(before, splitPath(key.path), value));
    checkWith(request, file, { key, after });
    return after;
  });
}

/** Removes a key from the file. It need not be a known one: that is how a misspelt key goes away. The name of the file. */
export async function unsetConfig(request: EditRequest, keyPath: string): Promise<StandardFile> {
  return await edit(request, (file, before) => {
    const parts = [splitPath(keyPath), splitPath(knownPath(keyPath) ?? keyPath)];
    const after = parts
      .map((path) => setOrExplain(file, () => unsetInYaml(before, path)))
      .find((one) => one !== undefined);
    if (after !== undefined) return after;
    findConfigKey(keyPath);
    throw new TachoError('NOT_FOUND', `${printable(keyPath)} is not set in ${file.name}`, {
      fix: `To see where its value comes from: tacho config get --origin ${printable(keyPath)}`,
    });
  });
}

function knownPath(keyPath: string): string | undefined {
  try {
    return findConfigKey(keyPath).path;
  } catch {
    return undefined;
  }
}

/** One editor at a time, so that none overwrites what another has just written. */
async function edit(
  request: EditRequest,
  change: (file: StandardFile, before: string) => string,
): Promise<StandardFile> {
  const file = fileOf(request);
  const folder = path.dirname(file.path);
  if (request.file === 'user') makePrivateFolder(folder);
  else fs.mkdirSync(folder, { recursive: true });
  const target = targetOf(request, file);
  const lock = await pollUntil(() => takeFolderFlock(folder), { everyMs: LOCK_POLL_MS, timeoutMs: LOCK_TIMEOUT_MS });
  if (lock === null)
    throw new TachoError('CONFIG_INVALID', `${file.name} is being changed by another command; try again`);
  try {
    const after = change(file, readText(file));
    writeWhole(target, after, { durable: true, ...(request.file === 'user' ? {} : { mode: modeOf(target) }) });
  } finally {
    lock.release();
  }
  return file;
}

function fileOf({ file, workspaceRoot, dataFolder, env }: EditRequest): StandardFile {
  return file === 'user' ? userFile(dataFolder ?? dataFolderOf(env)) : workspaceFile(workspaceRoot);
}

/** The file behind links. One that a workspace brings must not lead to a file elsewhere. */
function targetOf({ file: which, workspaceRoot }: EditRequest, file: StandardFile): string {
  const folder = fs.realpathSync(path.dirname(file.path));
  const target = fs.existsSync(file.path) ? fs.realpathSync(file.path) : path.join(folder, path.basename(file.path));
  if (which === 'user' || isBelow(realFolder(workspaceRoot), target)) return target;
  throw new TachoError('CONFIG_INVALID', `${file.name} leads out of the folder, to ${printable(target)}`, {
    fix: 'Change that file by hand, or replace the link with a file.',
  });
}

function modeOf(file: string): number {
  return fs.existsSync(file) ? fs.statSync(file).mode & 0o777 : 0o666 & ~process.umask();
}

/** What is there now; a file that cannot be read as YAML is not changed. */
function readText(file: StandardFile): string {
  const content = readSmallFile(file.path);
  if (content.kind === 'absent') return '';
  const problems: ConfigProblem[] = [];
  readFileLayer({ ...file, content }, problems);
  throwIfAny(problems.filter(({ path: key }) => key === undefined));
  return content.kind === 'bytes' ? content.bytes.toString() : '';
}

/** The value for itself, so that the message is about what was typed. */
function checkAlone(key: ConfigKey, value: unknown): void {
  const problems: ConfigProblem[] = [];
  const located = locate(value, COMMAND_LINE);
  const isRemoval = value === null && key.entry !== undefined;
  if (key.value !== undefined && !isRemoval) checkValue(key.value.schema, key.path, located, problems);
  else if (key.value === undefined) {
    const whole = key.entry === undefined ? value : { [key.entry]: value };
    readField(key.field!, { value: locate(whole, COMMAND_LINE), source: COMMAND_LINE }, { layer: new Map(), problems });
  }
  throwIfAny(problems);
}

/** With all other layers: an entry may lack what it needs, which would stop every later command. */
function checkWith(request: EditRequest, file: StandardFile, { key, after }: { key: ConfigKey; after: string }): void {
  const readFile: LoadConfigRequest['readFile'] = (name) =>
    name === file.path ? { kind: 'bytes', bytes: Buffer.from(after) } : readSmallFile(name);
  const found = problemsWith({ ...request, readFile });
  const entry = entryPathOf(key.path);
  const own = found.filter((one) => one.source.name === file.name || `${one.path}.`.startsWith(`${entry}.`));
  try {
    throwIfAny(own);
  } catch (error) {
    if (!(error instanceof TachoError) || key.value === undefined || key.entry === undefined) throw error;
    throw new TachoError(error.code, error.message, {
      facts: error.facts,
      fix: `To set all values of the entry at once: tacho config set ${entry} '{…}'`,
    });
  }
}

/** All that is wrong with the configuration, as if the workspace were trusted. */
export function problemsWith(request: LoadConfigRequest): ConfigProblem[] {
  try {
    loadConfig({ ...request, asIfTrusted: true });
    return [];
  } catch (error) {
    if (!(error instanceof TachoError) || !Array.isArray(error.facts.problems)) throw error;
    return error.facts.problems as ConfigProblem[];
  }
}

/** The library refuses paths through an alias or a list. */
function setOrExplain<T>(file: StandardFile, change: () => T): T {
  try {
    return change();
  } catch (cause) {
    if (!/^Expected YAML collection/.test(String((cause as Error).message))) throw cause;
    throw new TachoError(
      'CONFIG_INVALID',
      `${file.name} cannot be changed there: ${printable((cause as Error).message)}`,
      {
        cause,
        fix: 'Change the file by hand, then check it with: tacho config check',
      },
    );
  }
}
