import { nameInRecord, pathInRun, plainSha256, type RecordFile, type RecordFiles } from '../../../src/record/index.ts';
import { base64Bytes } from '../../model/bytes/base64-bytes.ts';
import type { Archive } from './open-archive.ts';

/** The files of an archive, as the input of `record/`. */
export function archiveFiles(archive: Archive, runId: string): RecordFiles {
  const names = [...archive.names].map(nameInRecord).filter((name) => name !== null);
  return {
    runId,
    names: async () => names,
    async open(name) {
      const blob = await archive.file(pathInRun(name));
      return blob && blobFile(blob);
    },
    sha256: plainSha256,
    verifySignature,
  };
}

export function blobFile(blob: Blob): RecordFile {
  return {
    size: blob.size,
    read: async (from, to) => new Uint8Array(await blob.slice(Math.max(0, from), Math.max(0, to)).arrayBuffer()),
    close: async () => {},
  };
}

/** Browsers have no crypto keys on pages without https, and older ones do not support ed25519. */
const verifySignature: RecordFiles['verifySignature'] = async ({ bytes, signature, key }) => {
  if (crypto.subtle === undefined) return 'unknown';
  try {
    const spki = base64Bytes(key.public_key);
    const publicKey = await crypto.subtle.importKey('spki', spki, { name: 'Ed25519' }, false, ['verify']);
    const signed = new Uint8Array(bytes);
    return (await crypto.subtle.verify('Ed25519', publicKey, base64Bytes(signature), signed)) ? 'valid' : 'wrong';
  } catch (error) {
    return (error as Error).name === 'NotSupportedError' ? 'unknown' : 'wrong';
  }
};
