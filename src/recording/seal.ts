import { sign } from 'node:crypto';
import path from 'node:path';
import { isRegularFile } from '../files/index.ts';
import {
  attemptFileNames,
  BLOBS_FOLDER,
  CONVERSATION_FILE,
  DIAGNOSTICS_FILE,
  EVENTS_FILE,
  type FsDiff,
  type Seal,
} from '../protocol/index.ts';
import { signedBytes } from '../record/index.ts';
import { writeWhole } from './attempt-file.ts';
import { type Digest, hashFile } from './file-hash.ts';
import type { RunFolder } from './run-folder.ts';
import type { SealKey } from './seal-key.ts';

export interface SealRequest {
  folder: RunFolder;
  attempt: number;
  key: SealKey;
  chain: { seq: number; head: string };
  /** The attempt's diff, which lists its blobs. */
  diff: FsDiff | null;
  /** Further blobs of the attempt, such as its artifacts, by their sha256. */
  blobs?: readonly string[];
  /** Hashes of what the recorder wrote, by file name. Without them, all existing files are read and hashed. */
  digests?: ReadonlyMap<string, Digest> | null;
}

/** Signs the current state of the attempt's files. Must be the last write of an attempt. */
export function sealAttempt(request: SealRequest): Seal {
  const { folder, attempt, key, chain } = request;
  const { seal: sealName, ...names } = attemptFileNames(attempt);
  const at = (name: string) => path.join(folder.audit, name);
  const own = Object.values(names).flatMap((name) => {
    const digest = request.digests ? request.digests.get(name) : isRegularFile(at(name)) && hashFile(at(name));
    return digest ? [{ path: name, ...digest }] : [];
  });
  const found = (name: string) => (isRegularFile(at(name)) ? [{ path: name, ...hashFile(at(name)) }] : []);
  const blobs = blobNames(request).flatMap(found);
  const shared = [EVENTS_FILE, CONVERSATION_FILE, DIAGNOSTICS_FILE].flatMap(found);
  const files = [...own, ...blobs, ...shared.map((file) => ({ ...file, prefix: true }))];
  const content: Omit<Seal, 'signature'> = {
    format: 'tacho-seal/1',
    run_id: folder.runId,
    attempt,
    sealed_at: new Date().toISOString(),
    chain,
    files,
    key: { algorithm: 'ed25519', id: key.id, public_key: key.publicKey },
  };
  const signature = sign(null, signedBytes(content), key.privateKey).toString('base64');
  const seal = { ...content, signature };
  writeWhole(path.join(folder.audit, sealName), sealText(seal), { replace: false });
  return seal;
}

/** The content of `seal.N.json`. */
export function sealText(seal: Seal): string {
  return `${JSON.stringify(seal, null, 2)}\n`;
}

function blobNames({ diff, blobs: further = [] }: Pick<SealRequest, 'diff' | 'blobs'>): string[] {
  const blobs = new Set(further.map((blob) => `${BLOBS_FOLDER}/${blob}`));
  for (const change of [...(diff?.created ?? []), ...(diff?.modified ?? []), ...(diff?.deleted ?? [])]) {
    for (const blob of [change.before_blob, change.after_blob]) if (blob) blobs.add(`${BLOBS_FOLDER}/${blob}`);
  }
  return [...blobs].sort();
}
