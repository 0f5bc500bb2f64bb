import { hash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makePrivateFolder } from '../../config/private-folder.ts';

const { O_RDONLY, O_NOFOLLOW } = fs.constants;
const CHECKSUM_BYTES = 32;
const MAX_BYTES = 32 * 1024 * 1024;
/** More than there are commands, at one megabyte each; code of older builds and other versions of Node goes first. */
const MAX_FILES = 32;
const STALE_PART_MS = 3_600_000;

/** The user's own cache folder, or null. Never a shared place such as /tmp: what is in the folder is run. */
export function codeCacheFolder(env: NodeJS.ProcessEnv): string | null {
  // Node's own name for switching off what it does in the same way.
  if (env.NODE_DISABLE_COMPILE_CACHE) return null;
  const base = env.XDG_CACHE_HOME || path.join(env.HOME || os.homedir(), '.cache');
  return path.isAbsolute(base) ? path.join(base, 'tacho', 'code') : null;
}

/**
 * The compiled code of one source on this Node, in a file that only this user can have written. Nothing here fails:
 * without a cache the command starts slower and does the same.
 */
export class CodeCache {
  readonly #file: string;
  /** What stood there when it was read. */
  #seen: number | undefined;

  private constructor(file: string) {
    this.#file = file;
  }

  /** Null where there is no folder that can be trusted. Code is kept apart for each `use`, as each calls other functions. */
  static open(folder: string | null, source: Buffer, use = 'any'): CodeCache | null {
    try {
      if (folder === null || !isOwn(fs.lstatSync(nearestExisting(folder)))) return null;
      makePrivateFolder(folder);
      const stat = fs.lstatSync(folder);
      if (!stat.isDirectory() || !isOwn(stat) || (stat.mode & 0o077) !== 0) return null;
      // V8 itself compares only the length of the source. Code for other flags it rejects.
      const name = `${digest(source)}-${process.version}-${process.arch}${flagsPart()}-${use}`;
      return new CodeCache(path.join(folder, name));
    } catch {
      return null;
    }
  }

  /** What was written before; null when there is nothing, or it is not whole. V8 may still reject it and compiles then. */
  read(): Buffer | null {
    let fd: number | null = null;
    try {
      this.#seen = this.#inode();
      fd = fs.openSync(this.#file, O_RDONLY | O_NOFOLLOW);
      const stat = fs.fstatSync(fd);
      if (!stat.isFile() || !isOwn(stat) || (stat.mode & 0o077) !== 0 || stat.size > MAX_BYTES) return null;
      const content = fs.readFileSync(fd);
      const data = content.subarray(CHECKSUM_BYTES);
      // V8 does not look for changed bytes, and would run them.
      return hash('sha256', data, 'buffer').equals(content.subarray(0, CHECKSUM_BYTES)) ? data : null;
    } catch {
      return null;
    } finally {
      if (fd !== null) fs.closeSync(fd);
    }
  }

  /**
   * Puts the file in its place whole. `compile` is called only if there is somewhere to write, and nobody else wrote it
   * since it was read: of many that start at once, one does the work.
   */
  write(compile: () => Buffer): void {
    const part = `${this.#file}.${process.pid}`;
    try {
      if (this.#inode() !== this.#seen) return;
      const fd = fs.openSync(part, 'wx', 0o600);
      try {
        const data = compile();
        fs.writeSync(fd, hash('sha256', data, 'buffer'));
        fs.writeFileSync(fd, data);
      } finally {
        fs.closeSync(fd);
      }
      fs.renameSync(part, this.#file);
      this.#removeOld();
    } catch {
      fs.rmSync(part, { force: true });
    }
  }

  #inode(): number | undefined {
    return fs.lstatSync(this.#file, { throwIfNoEntry: false })?.ino;
  }

  #removeOld(): void {
    const folder = path.dirname(this.#file);
    const files = fs
      .readdirSync(folder)
      .map((name) => ({ file: path.join(folder, name), time: fs.lstatSync(path.join(folder, name)).mtimeMs }))
      .sort((a, b) => b.time - a.time);
    const isPart = (file: string) => /\.\d+$/.test(file);
    const whole = files.filter(({ file }) => !isPart(file));
    const parts = files.filter(({ file, time }) => isPart(file) && Date.now() - time > STALE_PART_MS);
    for (const { file } of [...whole.slice(MAX_FILES), ...parts]) fs.rmSync(file, { force: true });
  }
}

function digest(content: Buffer): string {
  return hash('sha256', content).slice(0, 32);
}

/** V8's own sum of its flags, where there may be some. A path that is preloaded makes no difference to it. */
function flagsPart(): string {
  if (process.execArgv.length === 0 && !process.env.NODE_OPTIONS) return '';
  return `-${process.getBuiltinModule('node:v8').cachedDataVersionTag().toString(16)}`;
}

function isOwn(stat: fs.Stats): boolean {
  return stat.uid === process.getuid!();
}

function nearestExisting(folder: string): string {
  return fs.existsSync(folder) ? folder : nearestExisting(path.dirname(folder));
}
