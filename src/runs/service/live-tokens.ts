import fs from 'node:fs';
import { loadTokens, type Tokens, tokenFileOf } from './tokens.ts';

/** A change within the resolution of the file system's clock is invisible, so a file this young is read again. */
const YOUNG_MS = 1000;

/**
 * The tokens in `<home>/token`, following the file: added tokens work at once, removed ones stop working. While the
 * file is missing or invalid, the tokens of its last valid content apply, and `onProblem` is called once.
 */
export function liveTokens(
  home: string,
  { onProblem = () => {} }: { onProblem?: (error: unknown, file: string) => void } = {},
): Tokens & { file: string } {
  // Taken before the file is read, so that a change meanwhile is noticed.
  let seen = stampOf(tokenFileOf(home));
  let current = loadTokens(home);
  const { file } = current;
  let reported: string | null = null;

  function refresh(): void {
    const stamp = stampOf(file);
    if (stamp !== null && stamp === seen) return;
    try {
      // Unlike at the start, a missing file is not recreated: its owner may be replacing it.
      fs.accessSync(file);
      current = loadTokens(home);
      seen = stamp;
      reported = null;
    } catch (error) {
      const { message } = error as Error;
      if (message !== reported) onProblem(error, file);
      reported = message;
    }
  }

  return {
    file,
    get admin() {
      return current.admin;
    },
    // The same work for every token, so that the timing reveals nothing about it.
    scopeOf(token) {
      refresh();
      return current.scopeOf(token);
    },
  };
}

/** Identifies the content of the file; null if unavailable. */
function stampOf(file: string): string | null {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || Date.now() - Number(stat.ctimeMs) < YOUNG_MS) return null;
  return `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}
