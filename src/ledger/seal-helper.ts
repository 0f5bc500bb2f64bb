import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AUDIT_FOLDER, attemptFileNames, type LedgerEntry } from '../protocol/index.ts';

/** Below this, starting a thread costs more than it saves. */
const MIN_ENTRIES = 10_000;
/** Entries handed over at once. */
const BATCH = 2000;

/** The state of an entry. The helper's source repeats these numbers: it changes 0 to 1, and then to 2 or 3. */
const FREE = 0;
const AS_LISTED = 2;
const OURS = 4;

/** Nothing in such a name ends a line or a C string. */
const ORDINARY = /^[\w-]+$/;

interface Batch {
  /** Number of the first entry. */
  first: number;
  /** Paths and hashes of their seals, one in a line: one text is copied much faster than a thousand. Empty: no seal. */
  names: string;
  seals: string;
}

/**
 * A helper thread that reads seals from the first entry on, while the caller still reads entries, and then reads seals
 * from the last one. It only ever confirms: the caller reads every seal that the helper did not reach, could not read or
 * found changed. So a thread that fails to start is not an error.
 */
export class SealHelper {
  readonly #states: Int32Array;
  readonly #worker: Worker | null;
  #batch: LedgerEntry[] = [];

  constructor(runsRoot: string, size: number) {
    const isWorthIt = size >= MIN_ENTRIES && availableParallelism() > 1;
    this.#states = new Int32Array(new SharedArrayBuffer(isWorthIt ? size * 4 : 0));
    this.#worker = isWorthIt ? startWorker(runsRoot, this.#states) : null;
  }

  add(entry: LedgerEntry): void {
    if (this.#worker === null || this.#batch.push(entry) < BATCH) return;
    const ordinary = this.#batch.map((one) => (ORDINARY.test(one.run_id) && one.seal !== null ? one : null));
    const batch: Batch = {
      first: this.#batch[0]!.n,
      names: ordinary.map((one) => one && sealName(one)).join('\n'),
      seals: ordinary.map((one) => one?.seal).join('\n'),
    };
    this.#worker.postMessage(batch);
    this.#batch = [];
  }

  /** Whether the helper found the seal of this entry as listed; otherwise it is left to the caller. */
  confirms({ n }: LedgerEntry): boolean {
    return n < this.#states.length && Atomics.compareExchange(this.#states, n, FREE, OURS) === AS_LISTED;
  }

  /** Lets it end on its own: ended by force, it would leave a seal open. */
  stop(): void {
    for (let n = 0; n < this.#states.length; n++) Atomics.compareExchange(this.#states, n, FREE, OURS);
    this.#worker?.postMessage(null);
  }
}

/** Where the seal of an entry that lists one is, below the folder of all runs. */
export function sealName({ run_id, attempt }: LedgerEntry): string {
  return `${run_id}/${AUDIT_FOLDER}/${attemptFileNames(attempt!).seal}`;
}

function startWorker(runsRoot: string, states: Int32Array): Worker | null {
  // As text, the helper needs no separate file next to a bundle. The `__name` line is for loaders that add such calls.
  const source = `
    const __name = (value) => value;
    const { parentPort, workerData } = require('node:worker_threads');
    const { confirm, close } = (${createConfirm.toString()})(workerData, require);
    parentPort.on('message', (batch) => {
      if (batch !== null) return confirm(batch);
      close();
      parentPort.close();
    });`;
  const koffi = createRequire(import.meta.url).resolve('koffi');
  try {
    const worker = new Worker(source, {
      eval: true,
      workerData: { koffi, runsRoot, states },
      env: {},
      execArgv: [],
      // It would not know the descriptors that are opened by a call of the C library.
      trackUnmanagedFds: false,
    });
    worker.on('error', () => {
      // The caller reads what is left.
    });
    worker.unref();
    return worker;
  } catch {
    return null;
  }
}

interface WorkerData {
  koffi: string;
  runsRoot: string;
  states: Int32Array;
}

/** Runs in the helper, so it must not use anything outside its own body. Opens seals as `openUnlinked` does. */
function createConfirm(
  { koffi, runsRoot, states }: WorkerData,
  load: NodeJS.Require,
): { confirm(batch: Batch): void; close(): void } {
  const fs = load('node:fs') as typeof import('node:fs');
  const { hash } = load('node:crypto') as typeof import('node:crypto');
  const library = load(koffi) as typeof import('koffi');
  let libc: ReturnType<typeof library.load>;
  try {
    libc = library.load('libc.so.6');
  } catch {
    libc = library.load(`libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`);
  }
  const syscall = libc.func('syscall', 'long', ['long', 'int', 'str', 'void *', 'size_t']);
  const folder = fs.openSync(runsRoot, fs.constants.O_DIRECTORY);
  const how = Buffer.alloc(24);
  how.writeBigUInt64LE(BigInt(fs.constants.O_NONBLOCK | 0o2000000), 0);
  how.writeBigUInt64LE(12n, 16);
  const content = Buffer.allocUnsafe(64 * 1024);
  const isAsListed = (name: string, seal: string) => {
    const fd = Number(syscall(437, folder, name, how, how.length));
    if (fd < 0) return false;
    try {
      // At a position: pipes refuse that, and what is longer than the memory is not confirmed.
      const length = fs.readSync(fd, content, 0, content.length, 0);
      return length < content.length && hash('sha256', content.subarray(0, length)) === seal;
    } catch {
      return false;
    } finally {
      fs.closeSync(fd);
    }
  };
  return {
    confirm({ first, names, seals }) {
      const listed = seals.split('\n');
      for (const [index, name] of names.split('\n').entries()) {
        const seal = listed[index]!;
        if (seal === '' || Atomics.compareExchange(states, first + index, 0, 1) !== 0) continue;
        Atomics.store(states, first + index, isAsListed(name, seal) ? 2 : 3);
      }
    },
    close: () => fs.closeSync(folder),
  };
}
