import { spawn } from 'node:child_process';
import path from 'node:path';

export interface WantedObject {
  oid: string;
  size: number;
}

const TIMEOUT_MS = 20_000;
const MAX_HEADER_BYTES = 256;

/**
 * Reads blobs with `git cat-file --batch`, which supports loose and packed objects and alternates; `take` gets the
 * index of the wanted object and its content. Missing objects and objects of another size are skipped, and so are all
 * if git is not installed. Nothing from the repository's configuration is executed: no hooks, filters, helpers or
 * remotes.
 */
export function readObjects(
  gitFolder: string,
  wanted: readonly WantedObject[],
  take: (index: number, content: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const git = spawn('git', ['-c', 'core.hooksPath=/dev/null', `--git-dir=${gitFolder}`, 'cat-file', '--batch'], {
      // Not in the workspace: a relative entry of PATH must not find a program there.
      cwd: '/',
      env: gitEnvironment(process.env.PATH ?? ''),
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    const parser = createParser(wanted, take);
    git.on('error', () => resolve()); // Not installed.
    git.on('close', () => resolve());
    git.stdin.on('error', () => {}); // It exited early.
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

/** Only PATH from the caller's environment, and only the repository's settings. */
function gitEnvironment(searchPath: string): NodeJS.ProcessEnv {
  return {
    PATH: searchPath.split(':').filter(path.isAbsolute).join(':'),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // A partial clone would fetch missing objects, with any program that its configuration names.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
  };
}

/**
 * Responses come in the order of the requests: `<oid> blob <size>`, the content and a line feed, or `<oid> missing`.
 */
function createParser(wanted: readonly WantedObject[], take: (index: number, content: Buffer) => void) {
  let index = 0;
  let header = Buffer.alloc(0);
  /** The content being read; `into` is null if it is skipped. */
  let content: { into: Buffer | null; length: number; read: number } | null = null;

  /** False if the response is invalid. */
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
