import { spawn } from 'node:child_process';
import path from 'node:path';

export interface WantedObject {
  oid: string;
  size: number;
}

const TIMEOUT_MS = 20_000;
const MAX_HEADER_BYTES = 256;

/**
 * Reads blobs through `git cat-file --batch`, which knows loose and packed objects and alternates; `take` gets the number
 * of the wanted object and its content. Objects that are missing or have another size are left out, and all of them where
 * there is no git. Nothing that the repository configures is run or asked: no hooks, filters, helpers or remotes.
 */
export function readObjects(
  gitFolder: string,
  wanted: readonly WantedObject[],
  take: (index: number, content: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const git = spawn('git', ['-c', 'core.hooksPath=/dev/null', `--git-dir=${gitFolder}`, 'cat-file', '--batch'], {
      // Not in the workspace: a relative entry of PATH must not name a program there.
      cwd: '/',
      env: gitEnvironment(process.env.PATH ?? ''),
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    const parser = createParser(wanted, take);
    git.on('error', () => resolve()); // Not installed.
    git.on('close', () => resolve());
    git.stdin.on('error', () => {}); // It ended early.
    git.stdin.end(wanted.map(({ oid }) => `${oid}\n`).join(''));
    git.stdout.on('data', (bytes: Buffer) => {
      try {
        if (parser(bytes)) return;
      } catch (error) {
        reject(error);
      }
      git.kill('SIGKILL');
    });
  });
}

/** Nothing of the caller's environment but PATH, and no settings but the repository's. */
function gitEnvironment(searchPath: string): NodeJS.ProcessEnv {
  return {
    PATH: searchPath.split(':').filter(path.isAbsolute).join(':'),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // A partial clone would fetch missing objects, by whatever program its configuration names.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
  };
}

/** Answers come in the order of the questions: `<oid> blob <size>`, the content and a line feed, or `<oid> missing`. */
function createParser(wanted: readonly WantedObject[], take: (index: number, content: Buffer) => void) {
  let index = 0;
  let header = Buffer.alloc(0);
  /** The content being read; `into` is null where it is skipped. */
  let content: { into: Buffer | null; length: number; read: number } | null = null;

  /** False when the answer cannot be understood. */
  return (bytes: Buffer): boolean => {
    let at = 0;
    while (at < bytes.length) {
      if (content === null) {
        const end = bytes.indexOf(0x0a, at);
        header = Buffer.concat([header, bytes.subarray(at, end < 0 ? bytes.length : end)]);
        if (header.length > MAX_HEADER_BYTES || index >= wanted.length) return false;
        if (end < 0) return true;
        at = end + 1;
        const match = /^[0-9a-f]+ (\w+) (\d+)$/.exec(header.toString('latin1'));
        header = Buffer.alloc(0);
        if (match === null) {
          index += 1;
          continue;
        }
        const length = Number(match[2]);
        const isWanted = match[1] === 'blob' && length === wanted[index]!.size;
        content = { into: isWanted ? Buffer.allocUnsafeSlow(length) : null, length, read: 0 };
      }
      const piece = bytes.subarray(at, at + content.length - content.read);
      content.into?.set(piece, content.read);
      content.read += piece.length;
      at += piece.length;
      if (content.read < content.length || at >= bytes.length) return true;
      at += 1; // The line feed.
      if (content.into) take(index, content.into);
      content = null;
      index += 1;
    }
    return true;
  };
}
