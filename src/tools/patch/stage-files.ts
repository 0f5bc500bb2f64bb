import path from 'node:path';
import type { WorkspaceFiles } from '../files/workspace-files.ts';
import { ToolFailure } from '../tool-failure.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** A file as the patch leaves it; null: it does not exist. */
interface Staged {
  before: Content | null;
  now: Content | null;
  /** As the patch writes it. */
  name: string;
}

interface Content {
  bytes: Buffer;
  mode?: number | undefined;
}

/** Changes to several files that are made together. Nothing is written before `commit`. */
export interface StagedFiles {
  /** The text of a file, without a byte order mark, which stays where it is. */
  read(name: string): Promise<string>;
  add(name: string, text: string, mode?: number): Promise<void>;
  update(name: string, text: string, mode?: number): Promise<void>;
  move(name: string, to: string, text: string, mode?: number): Promise<void>;
  remove(name: string): Promise<void>;
  /** Writes everything; puts back what was written if one file cannot be. Returns the paths that changed. */
  commit(): Promise<string[]>;
}

export function stageFiles(files: WorkspaceFiles): StagedFiles {
  const staged = new Map<string, Staged>();
  const lookUp = async (name: string): Promise<Staged> => {
    const key = (await files.resolve(name)) ?? path.resolve(files.root, name);
    const known = staged.get(key);
    if (known) return known;
    await files.checkWrite(name);
    const before = await readWhole(files, name);
    const one: Staged = { before, now: before, name };
    staged.set(key, one);
    return one;
  };
  const existing = async (name: string) => {
    const one = await lookUp(name);
    if (one.now === null) throw new ToolFailure('not_found', `${JSON.stringify(name)} does not exist`, at(name));
    return { one, now: one.now };
  };
  const free = async (name: string) => {
    const one = await lookUp(name);
    if (one.now !== null) throw new ToolFailure('conflict', `${JSON.stringify(name)} exists already`, at(name));
    return one;
  };
  return {
    read: async (name) => textOf(name, (await existing(name)).now.bytes),
    add: async (name, text, mode) => {
      (await free(name)).now = { bytes: Buffer.from(text), mode };
    },
    update: async (name, text, mode) => {
      const { one, now } = await existing(name);
      one.now = { bytes: bytesOf(text, now.bytes), mode: mode ?? now.mode };
    },
    move: async (name, to, text, mode) => {
      const { one, now } = await existing(name);
      const target = await free(to);
      target.now = { bytes: bytesOf(text, now.bytes), mode: mode ?? now.mode };
      one.now = null;
    },
    remove: async (name) => {
      (await existing(name)).one.now = null;
    },
    commit: () => commit(files, [...staged.values()]),
  };
}

async function commit(files: WorkspaceFiles, all: readonly Staged[]): Promise<string[]> {
  const changed = all.filter(({ before, now }) => before !== now && !isSame(before, now));
  const done: { name: string; before: Content | null; folders: string[] }[] = [];
  try {
    for (const { name, now, before } of changed) done.push({ name, before, folders: await put(files, name, now) });
  } catch (error) {
    const left: string[] = [];
    for (const { name, before, folders } of done.reverse()) {
      await put(files, name, before).catch(() => left.push(name));
      for (const folder of folders.toReversed()) await files.remove(folder).catch(() => {});
    }
    if (left.length === 0) throw error;
    throw new ToolFailure('failed', `${(error as Error).message}. Could not be put back: ${left.join(', ')}`, {
      data: { changed: left },
      cause: error,
    });
  }
  return changed.map(({ name }) => name);
}

/** Returns the folders that it made. */
async function put(files: WorkspaceFiles, name: string, content: Content | null): Promise<string[]> {
  if (content !== null) {
    return (await files.write(name, content.bytes, content.mode === undefined ? {} : { mode: content.mode })).folders;
  }
  await files.remove(name);
  return [];
}

function isSame(one: Content | null, other: Content | null): boolean {
  return one !== null && other !== null && one.mode === other.mode && one.bytes.equals(other.bytes);
}

async function readWhole(files: WorkspaceFiles, name: string): Promise<Content | null> {
  try {
    const { bytes, size, mode } = await files.read(name, { maxBytes: MAX_BYTES });
    if (size > MAX_BYTES) throw new ToolFailure('too_large', `${JSON.stringify(name)} has ${size} bytes`, at(name));
    return { bytes, mode };
  } catch (error) {
    if (error instanceof ToolFailure && error.kind === 'not_found') return null;
    throw error;
  }
}

const MARK = '\ufeff';

function textOf(name: string, bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith(MARK) ? text.slice(1) : text;
  } catch {
    throw new ToolFailure('conflict', `${JSON.stringify(name)} is not UTF-8 text`, at(name));
  }
}

function bytesOf(text: string, before: Buffer): Buffer {
  return Buffer.from(before.toString('utf8', 0, 3) === MARK ? MARK + text : text);
}

function at(name: string): { data: { path: string } } {
  return { data: { path: name } };
}
