import type { Seal } from '../protocol/index.ts';

/**
 * Read access to a recorded run: a run folder in Node, an archive in a browser. Files are opened by name and read in
 * ranges, so that no file is ever loaded completely.
 */
export interface RecordFiles {
  /** The expected run id. The events must be chained, and the seals signed, for this id. */
  readonly runId: string;
  /** Names of all files, relative to the audit folder (`events.jsonl`, `blobs/<sha256>`), and `.run.json`. */
  names(): Promise<readonly string[]>;
  /** Names of entries that are neither files nor folders: links, pipes, sockets, devices. An archive has none. */
  others?(): Promise<readonly string[]>;
  /** Null if there is no regular file with this name. The caller closes the file. */
  open(name: string): Promise<RecordFile | null>;
  readonly sha256: Sha256;
  /** Whether `signature` over `bytes` is valid for `key` (both base64); `unknown` if it cannot be checked here. */
  verifySignature(signed: { bytes: Uint8Array; signature: string; key: Seal['key'] }): Promise<SignatureVerdict>;
}

export interface RecordFile {
  /** Size when opened; the file of a live attempt grows. */
  readonly size: number;
  /** The bytes of a range, fewer at the end of the file. They may be part of `into`, if given. */
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

/** Opens a file for the duration of `work`; null means that there is no such file. */
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
