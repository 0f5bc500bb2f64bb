import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { createOnce } from '../files/index.ts';
import { TachoError } from '../protocol/index.ts';
import { writeFailure } from './attempt-file.ts';

/** The key with which an installation signs its seals. */
export interface SealKey {
  id: string;
  privateKey: KeyObject;
  /** SPKI, base64, as in seals. */
  publicKey: string;
}

/** Loads the key, or creates it on first use; concurrent first users all get the same key. */
export function loadSealKey(keysFolder: string): SealKey {
  const file = path.join(keysFolder, 'seal.ed25519.pem');
  if (!fs.existsSync(file)) createKeyFile(keysFolder, file);
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(fs.readFileSync(file));
  } catch (cause) {
    throw new TachoError(
      'DATA_FOLDER_UNWRITABLE',
      `the signing key ${file} cannot be read: ${(cause as Error).message}`,
      {
        facts: { path: file },
        cause,
        fix: 'Move the file away; a new key is made on the next run, and old seals keep the old public key.',
      },
    );
  }
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
  return { id: keyId(publicKey), privateKey, publicKey };
}

/** Short name of a public key, for display. */
export function keyId(publicKey: string): string {
  return createHash('sha256').update(publicKey, 'base64').digest('hex').slice(0, 16);
}

function createKeyFile(folder: string, file: string): void {
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { privateKey } = generateKeyPairSync('ed25519');
    createOnce(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { durable: true });
  } catch (cause) {
    throw writeFailure(file, cause);
  }
}
