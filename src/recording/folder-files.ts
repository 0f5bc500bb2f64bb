import { createPublicKey, verify } from 'node:crypto';
import { type Dirent, lstatSync } from 'node:fs';
import { type FileHandle, readdir } from 'node:fs/promises';
import path from 'node:path';
import { errnoOf, isRegularFile, openRegularHandle } from '../files/index.ts';
import { nodeSha256 } from '../journal/index.ts';
import { RUN_RECORD_FILE } from '../protocol/index.ts';
import {
  type LedgerView,
  pathInRun,
  type RecordFile,
  type RecordFiles,
  type SignatureVerdict,
  type Verification,
  verifyRecord,
} from '../record/index.ts';
import type { RunFolder } from './run-folder.ts';

/** A run folder as the input of `record/`. */
export function folderFiles(folder: RunFolder): RecordFiles {
  return {
    runId: folder.runId,
    names: () => namesIn(folder),
    others: () => list(folder, (entry) => !entry.isFile() && !entry.isDirectory()),
    open: (name) => (isBelow(folder, name) ? openRecordFile(path.join(folder.path, pathInRun(name))) : noFile),
    sha256: nodeSha256,
    verifySignature,
  };
}

/** Checks whether a run folder matches its seal, and the ledger if one is known. */
export function verifyRun(folder: RunFolder, ledger: LedgerView | null = null): Promise<Verification> {
  return verifyRecord(folderFiles(folder), ledger);
}

const noFile = Promise.resolve(null);
/** Missing, or not a regular file: a link, a pipe, a socket, a folder. */
const NO_FILE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EINVAL', 'ENODEV']);

async function namesIn(folder: RunFolder): Promise<string[]> {
  const names = await list(folder, (entry) => entry.isFile());
  return isRegularFile(path.join(folder.path, RUN_RECORD_FILE)) ? [RUN_RECORD_FILE, ...names] : names;
}

async function list({ audit }: RunFolder, isWanted: (entry: Dirent) => boolean): Promise<string[]> {
  const entries = await readdir(audit, { recursive: true, withFileTypes: true });
  return entries.filter(isWanted).map((entry) => path.relative(audit, path.join(entry.parentPath, entry.name)));
}

/** Names also come from seals and requests, so a name that leads outside, even through a link, is rejected. */
function isBelow({ audit }: RunFolder, name: string): boolean {
  const parts = name.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))) return false;
  return parts
    .slice(0, -1)
    .every((_, at) => lstatSync(path.join(audit, ...parts.slice(0, at + 1)), { throwIfNoEntry: false })?.isDirectory());
}

/** Null if there is no regular file. */
export async function openRecordFile(file: string): Promise<RecordFile | null> {
  let handle: FileHandle;
  try {
    handle = await openRegularHandle(file);
  } catch (error) {
    if (NO_FILE.has(errnoOf(error) ?? '')) return null;
    throw error;
  }
  const { size } = await handle.stat();
  return {
    size,
    read: (from, to, into) => readRange(handle, from, to, into),
    close: () => handle.close(),
  };
}

async function readRange(handle: FileHandle, from: number, to: number, into?: Uint8Array): Promise<Uint8Array> {
  const length = Math.max(0, to - from);
  const bytes = into && into.length >= length ? into : Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function verifySignature({
  bytes,
  signature,
  key,
}: Parameters<RecordFiles['verifySignature']>[0]): Promise<SignatureVerdict> {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key.public_key, 'base64'), type: 'spki', format: 'der' });
    return verify(null, bytes, publicKey, Buffer.from(signature, 'base64')) ? 'valid' : 'wrong';
  } catch {
    return 'wrong'; // Not a valid key or signature.
  }
}
