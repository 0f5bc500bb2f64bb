import type { Seal } from '../protocol/index.ts';

/**
 * The port through which a recorded run is read: a run folder in Node, an archive in a browser. Files are opened by name
 * and read in ranges, so that no file is ever held whole.
 */
export interface RecordFiles {
  /** The run this record is looked up as. Its events must be chained, and its seals signed, for this id. */
  readonly runId: string;
  /** Names of all files, relative to the audit folder (`events.jsonl`, `blobs/<sha256>`), and `.run.json`. */
  names(): Promise<readonly string[]>;
  /** Names of what is neither a file nor a folder: links, pipes, sockets, devices. An archive has none. */
  others?(): Promise<readonly string[]>;
  /** Null where there is no regular file of this name. The caller closes what it opened. */
  open(name: string): Promise<RecordFile | null>;
  readonly sha256: Sha256;
  /** Whether `signature` over `bytes` is that of `key` (both base64); `unknown` where this place cannot check it. */
  verifySignature(signed: { bytes: Uint8Array; signature: string; key: Seal['key'] }): Promise<SignatureVerdict>;
}

export interface RecordFile {
  /** When it was opened; the file of a live attempt grows. */
  readonly size: number;
  /** The bytes of a range, fewer where the file ends. They may be a part of `into`, when it is given. */
  read(from: number, to: number, into?: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface Sha256 {
  /** Hex digits. */
  of(bytes: Uint8Array | string): string;
  start(): RunningHash;
}

export interface RunningHash {
  update(bytes: Uint8Array): void;
  /** Of everything so far; more may follow. */
  digest(): string;
}

export type SignatureVerdict = 'valid' | 'wrong' | 'unknown';

/** Opens a file for the time of `work`; null stands for a file that is not there. */
export async function withFile<T>(
  files: Pick<RecordFiles, 'open'>,
  name: string,
  work: (file: RecordFile | null) => Promise<T>,
): Promise<T> {
  const file = await files.open(name);
  try {
    return await work(file);
  } finally {
    await file?.close();
  }
}
