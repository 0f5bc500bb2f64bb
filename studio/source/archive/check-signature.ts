import type { Seal } from '../../../src/protocol/index.ts';
import { base64Bytes } from '../../model/bytes/base64-bytes.ts';
import { sha256, textBytes } from './sha256.ts';

/** `unknown`: this browser cannot check signatures of this kind. */
export type SignatureVerdict = 'valid' | 'wrong' | 'unknown';

/** Whether a seal was signed with the key it names, and that key has the id it claims. */
export async function checkSignature(seal: Seal): Promise<SignatureVerdict> {
  const { signature, ...content } = seal;
  let keyBytes: Uint8Array<ArrayBuffer>;
  let signatureBytes: Uint8Array<ArrayBuffer>;
  try {
    keyBytes = base64Bytes(seal.key.public_key);
    signatureBytes = base64Bytes(signature);
  } catch {
    return 'wrong';
  }
  if ((await sha256(keyBytes)).slice(0, 16) !== seal.key.id) return 'wrong';
  try {
    const key = await crypto.subtle.importKey('spki', keyBytes, { name: 'Ed25519' }, false, ['verify']);
    // The schema fixes the order of fields, so the same content always gives the same bytes.
    const signed = textBytes(JSON.stringify(content));
    return (await crypto.subtle.verify('Ed25519', key, signatureBytes, signed)) ? 'valid' : 'wrong';
  } catch (error) {
    return (error as Error).name === 'NotSupportedError' ? 'unknown' : 'wrong';
  }
}
