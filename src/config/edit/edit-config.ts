import { TachoError } from '../../protocol/error-code.ts';
import { configFields } from '../field-table.ts';
import { findConfigKey } from '../find-key.ts';
import { splitPath } from '../key-path.ts';
import { printable } from '../problem.ts';
import type { StandardFile } from '../sources/standard-files.ts';
import { changeFile, type EditRequest } from './change-file.ts';
import { checkChange, checkTyped } from './check-change.ts';
import { setInYaml, unsetInYaml } from './edit-yaml.ts';
import { valueToWrite } from './value-to-write.ts';

/** Sets a key in a file; checks it before writing. Returns the file. */
export async function setConfig(request: EditRequest, keyPath: string, text: string): Promise<StandardFile> {
  const key = findConfigKey(keyPath);
  if (key.field === undefined) {
    const keys = configFields.sections.get(key.path)!.join(', ');
    throw new TachoError('CONFIG_INVALID', `${key.path} is a section; set one of its keys: ${keys}`);
  }
  const value = valueToWrite(key, text);
  checkTyped(key, value);
  return await changeFile(request, (file, before) => {
    const after = orByHand(file, () => setInYaml(before, splitPath(key.path), value));
    checkChange(request, { path: file.path, after }, key.path);
    return after;
  });
}

/** Removes a key from a file. Accepts unknown keys, so that a misspelled one can be removed. Returns the file. */
export async function unsetConfig(request: EditRequest, keyPath: string): Promise<StandardFile> {
  return await changeFile(request, (file, before) => {
    for (const path of [knownPath(keyPath) ?? keyPath, keyPath]) {
      const after = orByHand(file, () => unsetInYaml(before, splitPath(path)));
      if (after === undefined) continue;
      checkChange(request, { path: file.path, after }, path);
      return after;
    }
    findConfigKey(keyPath);
    throw new TachoError('NOT_FOUND', `${printable(keyPath)} is not set in ${file.name}`, {
      fix: `To see where its value comes from: tacho config get --origin ${printable(keyPath)}`,
    });
  });
}

/** A name with dots may be typed without quotes. */
function knownPath(keyPath: string): string | undefined {
  try {
    return findConfigKey(keyPath).path;
  } catch {
    return undefined;
  }
}

/** The library rejects paths through an alias or a list. */
function orByHand<T>(file: StandardFile, change: () => T): T {
  try {
    return change();
  } catch (cause) {
    const { message } = cause as Error;
    if (!message.startsWith('Expected YAML collection')) throw cause;
    throw new TachoError('CONFIG_INVALID', `${file.name} cannot be changed there: ${printable(message)}`, {
      cause,
      fix: 'Change the file by hand, then check it with: tacho config check',
    });
  }
}
