import { getRawAsset, isSea } from 'node:sea';

/** The list of files inside the single executable, stored as one of them. Written by `scripts/build-single.mjs`. */
export interface EmbeddedList {
  version: string;
  /** Packages with native parts, which the system can only load from a disk; by their path below a common folder. */
  packages: readonly { path: string; bytes: number }[];
  /** Hash of the contents of all packages. */
  packages_hash: string;
  /** The built Studio, by path below its folder. */
  page: readonly string[];
}

/** Names of the files inside the executable; the build writes them and this program reads them. */
export const EMBEDDED_LIST = 'list.json';
export const embeddedName = {
  package: (path: string) => `packages/${path}`,
  page: (path: string) => `page/${path}`,
  text: (path: string) => `texts/${path}`,
};

let list: EmbeddedList | null | undefined;

/** The files inside this program; null when it is Node with a folder of files, as after `npm install`. */
export function embeddedList(): EmbeddedList | null {
  if (list === undefined) list = readList();
  return list;
}

/** Memory of the executable itself: not copied, and read-only. */
export function readEmbedded(name: string): Buffer {
  return Buffer.from(getRawAsset(name) as ArrayBuffer);
}

function readList(): EmbeddedList | null {
  if (!isSea()) return null;
  try {
    return JSON.parse(readEmbedded(EMBEDDED_LIST).toString()) as EmbeddedList;
  } catch {
    return null; // Another executable that uses tacho as a library.
  }
}
