import { sign } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
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
import { hashFile } from './file-hash.ts';
import type { RunFolder } from './run-folder.ts';
import type { SealKey } from './seal-key.ts';

export interface SealRequest {
  folder: RunFolder;
  attempt: number;
  key: SealKey;
  chain: { seq: number; head: string };
  /** Blobs the attempt's diff speaks of. */
  diff: FsDiff | null;
  /** What the recorder wrote, by file name; other files are read to be hashed. */
  digests?: ReadonlyMap<string, { bytes: number; sha256: string }>;
}

/** Signs what the attempt's files are now. The last thing written of an attempt. */
export function sealAttempt(request: SealRequest): Seal {
  const { folder, attempt, key, chain } = request;
  const { seal: sealName, ...names } = attemptFileNames(attempt);
  const own = [...Object.values(names), ...blobNames(request.diff)].map((name) => ({ name, prefix: false }));
  const shared = [EVENTS_FILE, CONVERSATION_FILE, DIAGNOSTICS_FILE].map((name) => ({ name, prefix: true }));
  const files = [...own, ...shared]
    .filter(({ name }) => fs.existsSync(path.join(folder.audit, name)))
    .map(({ name, prefix }) => ({
      path: name,
      ...(request.digests?.get(name) ?? hashFile(path.join(folder.audit, name))),
      ...(prefix ? { prefix } : {}),
    }));
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

function blobNames(diff: FsDiff | null): string[] {
  const blobs = new Set<string>();
  for (const change of [...(diff?.created ?? []), ...(diff?.modified ?? []), ...(diff?.deleted ?? [])]) {
    for (const blob of [change.before_blob, change.after_blob]) if (blob) blobs.add(`${BLOBS_FOLDER}/${blob}`);
  }
  return [...blobs].sort();
}
