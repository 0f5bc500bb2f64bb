import { nodeSha256 } from '../../src/journal/index.ts';
import type { RecordFile, RecordFiles } from '../../src/record/index.ts';

/** A record whose files are in memory; more may be added later. */
export function filesInMemory(runId: string, contents: Record<string, Uint8Array | string> = {}): RecordFiles {
  return {
    runId,
    names: async () => Object.keys(contents),
    open: async (name) => (Object.hasOwn(contents, name) ? fileOf(Buffer.from(contents[name] as string)) : null),
    sha256: nodeSha256,
    verifySignature: async () => 'unknown',
  };
}

function fileOf(bytes: Buffer): RecordFile {
  return { size: bytes.length, read: async (from, to) => bytes.subarray(from, to), close: async () => {} };
}
