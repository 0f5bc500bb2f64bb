import { createPublicKey, sign, verify } from 'node:crypto';
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
  sealSchema,
  TachoError,
} from '../protocol/index.ts';
import { writeWhole } from './attempt-file.ts';
import { hashFile } from './file-hash.ts';
import type { RunFolder } from './run-folder.ts';
import { keyId, type SealKey } from './seal-key.ts';

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
  writeWhole(path.join(folder.audit, sealName), `${JSON.stringify(seal, null, 2)}\n`, { replace: false });
  return seal;
}

export function readSeal(folder: RunFolder, attempt: number): Seal | null {
  const file = path.join(folder.audit, attemptFileNames(attempt).seal);
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
  const parsed = sealSchema.safeParse(safeJson(text));
  if (parsed.success) return parsed.data;
  throw new TachoError('VERIFY_FAILED', `${file} is not a seal`, { facts: { path: file }, cause: parsed.error });
}

/** True when the seal was signed with the key it names, and that key has the id it claims. */
export function hasValidSignature(seal: Seal): boolean {
  const { signature, ...content } = seal;
  try {
    const key = createPublicKey({ key: Buffer.from(seal.key.public_key, 'base64'), type: 'spki', format: 'der' });
    const signed = verify(null, signedBytes(content), key, Buffer.from(signature, 'base64'));
    return signed && keyId(seal.key.public_key) === seal.key.id;
  } catch {
    return false; // Not a key, not a signature.
  }
}

function blobNames(diff: FsDiff | null): string[] {
  const blobs = new Set<string>();
  for (const change of [...(diff?.created ?? []), ...(diff?.modified ?? []), ...(diff?.deleted ?? [])]) {
    for (const blob of [change.before_blob, change.after_blob]) if (blob) blobs.add(`${BLOBS_FOLDER}/${blob}`);
  }
  return [...blobs].sort();
}

/** The schema fixes the order of fields, so the same content always gives the same bytes. */
function signedBytes(content: Omit<Seal, 'signature'>): Buffer {
  return Buffer.from(JSON.stringify(content));
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
