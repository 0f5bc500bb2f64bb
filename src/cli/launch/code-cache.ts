import { hash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makePrivateFolder } from '../../config/private-folder.ts';

const { O_RDONLY, O_NOFOLLOW } = fs.constants;
const CHECKSUM_BYTES = 32;
const MAX_BYTES = 32 * 1024 * 1024;
/**
 * More than there are commands, at one megabyte each; removes code of older builds and other versions of Node first.
 */
const MAX_FILES = 32;
const STALE_PART_MS = 3_600_000;

/** The user's own cache folder, or null. Never a shared place such as /tmp: code in this folder is executed. */
export function codeCacheFolder(env: NodeJS.ProcessEnv): string | null {
  // Node's own variable for disabling its compile cache.
  if (env.NODE_DISABLE_COMPILE_CACHE) return null;
  const base = env.XDG_CACHE_HOME || path.join(env.HOME || os.homedir(), '.cache');
  return path.isAbsolute(base) ? path.join(base, 'tacho', 'code') : null;
}

/**
 * The compiled code of one source on this version of Node, in a file that only this user can have written. Never fails:
 * without a cache the command just starts more slowly.
 */
export class CodeCache {
  readonly #file: string;
  /** Inode of the file when it was read. */
  #seen: number | undefined;

  private constructor(file: string) {
    this.#file = file;
  }

  /** Null without a trustworthy folder. Each `use` has a separate file, because each calls different functions. */
  static open(folder: string | null, source: Buffer, use = 'any'): CodeCache | null {
    try {
      if (folder === null || !isOwn(fs.lstatSync(nearestExisting(folder)))) return null;
      makePrivateFolder(folder);
      const stat = fs.lstatSync(folder);
      if (!stat.isDirectory() || !isOwn(stat) || (stat.mode & 0o077) !== 0) return null;
      // V8 compares only the length of the source. It does reject code for other flags.
      const name = `${digest(source)}-${process.version}-${process.arch}${flagsPart()}-${use}`;
      return new CodeCache(path.join(folder, name));
    } catch {
      return null;
    }
  }

  /** The stored code; null when there is none or it is damaged. V8 may still reject it and compile again. */
  read(): Buffer | null {
    let fd: number | null = null;
    try {
      this.#seen = this.#inode();
      fd = fs.openSync(this.#file, O_RDONLY | O_NOFOLLOW);
      const stat = fs.fstatSync(fd);
      if (!stat.isFile() || !isOwn(stat) || (stat.mode & 0o077) !== 0 || stat.size > MAX_BYTES) return null;
      const content = fs.readFileSync(fd);
      const data = content.subarray(CHECKSUM_BYTES);
      // V8 does not detect changed bytes and would execute them.
      return hash('sha256', data, 'buffer').equals(content.subarray(0, CHECKSUM_BYTES)) ? data : null;
    } catch {
      return null;
    } finally {
      if (fd !== null) fs.closeSync(fd);
    }
  }

  /**
   * Replaces the file atomically. Calls `compile` only if the file is writable and no other process replaced it since
   * it was read: of many processes started at once, one does the work.
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

/** V8's hash of its flags, if any may be set. Preloaded modules do not affect it. */
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
