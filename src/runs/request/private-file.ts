import fs from 'node:fs';
import path from 'node:path';
import type * as z from 'zod';
import { createOnce, readRegularFile, watchFolder } from '../../files/index.ts';
import { RUN_ID_PATTERN, TachoError } from '../../protocol/index.ts';
import { type RunFolder, writeWhole } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';

/**
 * Files that may contain secrets and are not part of the record: stored next to the folder of all runs, so that no
 * export, copy or seal of a run includes them.
 */
function fileOf(folder: RunFolder, name: string): string {
  return path.resolve(folder.path, '../../private', `${folder.runId}.${name}.json`);
}

export function writePrivate(folder: RunFolder, name: string, content: object): void {
  const file = fileOf(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, `${JSON.stringify(content)}\n`, { replace: true });
}

/** False when it already exists, whatever it is. */
export function createPrivate(folder: RunFolder, name: string, content: object): boolean {
  const file = fileOf(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  return createOnce(file, `${JSON.stringify(content)}\n`, { durable: true });
}

/** Calls back when the file may have been created, changed or removed. */
export function watchPrivate(folder: RunFolder, name: string, onChange: () => void): { stop(): void } {
  const file = fileOf(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  return watchFolder(path.dirname(file), (changed) => changed === path.basename(file), onChange);
}

/** Validated like any other input; null if missing. The schema is built only when needed. */
export function readPrivate<T>(folder: RunFolder, name: string, schema: () => z.ZodType<T>): T | null {
  const text = privateText(folder, name);
  if (text === null) return null;
  try {
    return schema().parse(JSON.parse(text));
  } catch (cause) {
    const file = fileOf(folder, name);
    throw new TachoError('RUN_RECORD_CORRUPT', `${file} is not in its format`, { facts: { path: file }, cause });
  }
}

/** Null if missing. */
export function privateText(folder: RunFolder, name: string): string | null {
  try {
    return readRegularFile(fileOf(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export function removePrivate(folder: RunFolder, name: string): void {
  fs.rmSync(fileOf(folder, name), { force: true });
}

/** Removes everything stored for the run, including partial files of a crash. */
export function removeAllPrivate(folder: RunFolder): void {
  const root = path.dirname(fileOf(folder, ''));
  const names = fs.existsSync(root) ? fs.readdirSync(root) : [];
  for (const name of names) if (name.startsWith(`${folder.runId}.`)) fs.rmSync(path.join(root, name), { force: true });
}

/** Runs that have a file of this name. */
export function privateNames({ root }: DataHome, name: string): string[] {
  const ending = `.${name}.json`;
  try {
    const names = fs.readdirSync(path.join(root, 'private'));
    const runIds = names.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));
    return runIds.filter((runId) => RUN_ID_PATTERN.test(runId));
  } catch {
    return []; // Nothing was ever stored here.
  }
}
