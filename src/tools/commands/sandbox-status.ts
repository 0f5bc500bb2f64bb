import fs from 'node:fs';
import { countUnread } from '../../terminal/libc.ts';

/**
 * The exit code that bubblewrap reported; null if the program never began. Bubblewrap reports nothing when it fails
 * before, and its own exit code could as well be the program's.
 */
export function readStatus(fd: number): number | null {
  const bytes = Buffer.alloc(countUnread(fd));
  const count = bytes.length === 0 ? 0 : fs.readSync(fd, bytes, 0, bytes.length, null);
  const code = /"exit-code": *(\d+)/.exec(bytes.toString('latin1', 0, count))?.[1];
  return code === undefined ? null : Number(code);
}

/** Why a program never began. Nothing but bubblewrap has written to stderr then. */
export function explainFailedEntry(
  stderr: string,
  program: string,
): { denied: string } | { message: string; exitCode: number } {
  const text = stderr.trim();
  const reason = /(?:^|\n)bwrap: execvp .*: ([^:\n]+)$/.exec(text)?.[1];
  if (reason === undefined)
    return { denied: `the sandbox could not be started: ${text || 'bubblewrap gave no reason'}` };
  const missing = reason === 'No such file or directory';
  return {
    message: missing ? `${program} is not there, or not visible in the sandbox` : `${program}: ${reason}`,
    exitCode: missing ? 127 : 126,
  };
}
