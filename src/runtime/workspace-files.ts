import fs from 'node:fs/promises';
import path from 'node:path';
import { type CheckedParams, type RuntimeResult, TachoError } from '../protocol/index.ts';
import { decodeBytes, encodeBytes } from '../terminal/index.ts';
import { openInside, resolveInside } from './inside-workspace.ts';

type FileStat = RuntimeResult<'file.stat'>;

export async function readFilePart(
  workspace: string,
  { path: name, offset, max_bytes, encoding }: CheckedParams<'file.read'>,
): Promise<RuntimeResult<'file.read'>> {
  const file = await openInside(workspace, name, 'read');
  try {
    const { size } = await regular(file, name);
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
    await regular(file, name);
    if (!append) await file.truncate(0);
    await file.writeFile(decodeBytes(bytes));
    // A file that was there before keeps its mode unless another was asked for.
    if (mode !== undefined) await file.chmod(mode);
    return describe(name, await file.stat());
  } finally {
    await file.close();
  }
}

export async function listFolder(workspace: string, name: string): Promise<RuntimeResult<'file.list'>> {
  const folder = await resolveInside(workspace, name);
  const names = (await fs.readdir(folder).catch(refuse(name))).sort();
  const entries: FileStat[] = [];
  for (const entry of names) {
    const stat = await fs.lstat(path.join(folder, entry)).catch(() => null);
    if (stat) entries.push(describe(path.join(name, entry), stat));
  }
  return { entries };
}

/** Of a link, the link itself and not what it leads to: that may be elsewhere. */
export async function statFile(workspace: string, name: string): Promise<FileStat> {
  const wanted = path.resolve(workspace, name);
  if (wanted === path.resolve(workspace)) return describe(name, await fs.stat(workspace));
  const parent = await resolveInside(workspace, path.dirname(wanted));
  return describe(name, await fs.lstat(path.join(parent, path.basename(wanted))).catch(refuse(name)));
}

async function regular(file: fs.FileHandle, name: string) {
  const stat = await file.stat();
  if (stat.isFile()) return stat;
  throw new TachoError('INVALID_PARAMS', `${name} is no file`, { facts: { path: name } });
}

function describe(name: string, stat: Awaited<ReturnType<typeof fs.stat>>): FileStat {
  const type = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'other';
  const mode = Number(stat.mode) & 0o7777;
  return { path: name, type, size: Number(stat.size), mode, modified_at: stat.mtime.toISOString() };
}

function refuse(name: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    if (cause.code === 'ENOENT') throw new TachoError('NOT_FOUND', `${name} is not there`, { facts: { path: name } });
    throw new TachoError('INVALID_PARAMS', `${name}: ${cause.message}`, { facts: { path: name }, cause });
  };
}
