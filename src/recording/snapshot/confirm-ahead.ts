import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { createDirectoryReader, type DirectoryReader } from './directory-reader.ts';
import { absoluteName, digestOf } from './listing.ts';
import type { Snapshot } from './snapshot.ts';

/** Below this, starting a thread costs more than it saves. */
const MIN_ENTRIES = 20_000;

const DIGEST_BYTES = 32;

/** The state of a directory. The helper's source repeats these numbers: it changes 0 to 1, and then to 2 or 3. */
const FREE = 0;
const UNCHANGED = 2;
const OURS = 4;

interface SharedWork {
  /** Paths of the directories, from `/`, in walk order. */
  paths: string[];
  /** One of the states above for each directory. */
  states: Int32Array;
  /** Digest of each directory's previous content, from `digestOf`. */
  digests: Uint8Array;
}

export interface ConfirmAhead {
  /** True if the helper found this directory unchanged; otherwise the caller must read it. */
  confirms(path: string): boolean;
  stop(): void;
}

/**
 * A helper thread that walks the previous snapshot from its end while the caller walks from the beginning, and reports
 * which directories are unchanged. It nearly halves the time of the second snapshot of a large tree. It only ever
 * confirms: the caller reads every directory that the helper did not reach, could not read or found changed. So a
 * thread that fails to start is not an error.
 */
export function confirmAhead(previous: Snapshot, rootName: string): ConfirmAhead | null {
  if (previous.entryCount < MIN_ENTRIES || availableParallelism() < 2) return null;
  const work: SharedWork = {
    paths: [],
    states: new Int32Array(new SharedArrayBuffer(previous.directories.size * 4)),
    digests: new Uint8Array(new SharedArrayBuffer(previous.directories.size * DIGEST_BYTES)),
  };
  const positions = new Map<string, number>();
  for (const [path, listing] of previous.directories) {
    // Nothing to confirm, or not to be entered.
    if (!listing.complete || listing.gone) continue;
    positions.set(path, work.paths.length);
    work.digests.set(listing.digest, work.paths.length * DIGEST_BYTES);
    work.paths.push(absoluteName(rootName, path));
  }
  handToHelper(work);
  return {
    confirms(path) {
      const position = positions.get(path);
      return position !== undefined && Atomics.compareExchange(work.states, position, FREE, OURS) === UNCHANGED;
    },
    stop() {
      for (let index = 0; index < work.states.length; index++) {
        Atomics.compareExchange(work.states, index, FREE, OURS);
      }
    },
  };
}

let helper: Worker | null = null;

/**
 * Starting a thread costs as much as a third of the work, so it is kept for the next snapshot; it does not keep the
 * process alive.
 */
function handToHelper(work: SharedWork): void {
  try {
    helper ??= startHelper();
    helper.postMessage(work);
  } catch {
    // The caller reads everything itself.
  }
}

function startHelper(): Worker {
  // As text, the helper needs no separate file next to a bundle. The `__name` line is for loaders that add such calls.
  const source = `
    const __name = (value) => value;
    const { parentPort, workerData } = require('node:worker_threads');
    const reader = (${createDirectoryReader.toString()})(require(workerData.koffi), require('node:fs').constants);
    const digestOf = (${digestOf.toString()}).bind(null, require('node:crypto').createHash);
    const confirmDirectories = ${confirmDirectories.toString()};
    parentPort.on('message', (work) => confirmDirectories(work, reader, digestOf));`;
  const koffi = createRequire(import.meta.url).resolve('koffi');
  const worker = new Worker(source, { eval: true, workerData: { koffi }, env: {}, execArgv: [] });
  worker.on('error', () => {
    // It stays the helper, so that a thread that does not work is not started again and again.
  });
  worker.unref();
  return worker;
}

/** Runs in the helper; like the reader, it must not use anything outside its own body. */
function confirmDirectories(
  { paths, states, digests }: SharedWork,
  reader: DirectoryReader,
  digest: (names: Uint8Array, stats: Uint32Array) => Uint8Array,
): void {
  for (let index = paths.length - 1; index >= 0; index--) {
    if (Atomics.compareExchange(states, index, 0, 1) !== 0) continue;
    const directory = reader.openDirectory(paths[index]!);
    const reading = directory < 0 ? directory : reader.readDirectory(directory);
    if (directory >= 0) reader.close(directory);
    const unchanged =
      typeof reading !== 'number' &&
      Buffer.compare(digest(reading.names, reading.stats), digests.subarray(index * 32, index * 32 + 32)) === 0;
    Atomics.store(states, index, unchanged ? 2 : 3);
  }
}
