import fs from 'node:fs/promises';
import path from 'node:path';
import type { CheckedParams, RuntimeResult } from '../protocol/index.ts';
import { decodeBytes, encodeBytes } from '../terminal/index.ts';
import { openInside, refuse, withParent, withPlace } from './inside-workspace.ts';

type FileStat = RuntimeResult<'file.stat'>;

export async function readFilePart(
  workspace: string,
  { path: name, offset, max_bytes, encoding }: CheckedParams<'file.read'>,
): Promise<RuntimeResult<'file.read'>> {
  const file = await openInside(workspace, name, 'read');
  try {
    const { size } = await file.stat();
    const wanted = Math.max(0, Math.min(max_bytes, size - offset));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, offset);
    const next = offset + bytesRead;
    return { ...encodeBytes(buffer.subarray(0, bytesRead), encoding), size, next, end: next >= size };
  } finally {
    await file.close();
  }
}

export async function writeFilePart(
  workspace: string,
  { path: name, append, mode, ...bytes }: CheckedParams<'file.write'>,
): Promise<FileStat> {
  const file = await openInside(workspace, name, append ? 'append' : 'write', mode);
  try {
    if (!append) await file.truncate(0);
    await file.writeFile(decodeBytes(bytes));
    // An existing file keeps its mode unless another was requested.
    if (mode !== undefined) await file.chmod(mode);
    return describe(name, await file.stat());
  } finally {
    await file.close();
  }
}

export function listFolder(workspace: string, name: string): Promise<RuntimeResult<'file.list'>> {
  return withPlace(workspace, name, async (folder) => {
    const names = (await fs.readdir(folder.path).catch(refuse(name))).sort();
    const entries: FileStat[] = [];
    for (const entry of names) {
      const stat = await fs.lstat(path.join(folder.path, entry)).catch(() => null);
      if (stat) entries.push(describe(path.join(name, entry), stat));
    }
    return { entries };
  });
}

/** Does not follow a link, which may lead outside. */
export function statFile(workspace: string, name: string): Promise<FileStat> {
  if (path.resolve(workspace, name) === path.resolve(workspace)) {
    return withPlace(workspace, name, async ({ stat }) => describe(name, stat));
  }
  return withParent(workspace, name, async (file) => describe(name, await fs.lstat(file).catch(refuse(name))));
}

function describe(name: string, stat: Awaited<ReturnType<typeof fs.stat>>): FileStat {
  const type = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'other';
  const mode = Number(stat.mode) & 0o7777;
  return { path: name, type, size: Number(stat.size), mode, modified_at: stat.mtime.toISOString() };
}
