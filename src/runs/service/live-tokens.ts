import fs from 'node:fs';
import { loadTokens, type Tokens, tokenFileOf } from './tokens.ts';

/** A change within the same tick of the file system's clock leaves no trace, so a file this young is read again. */
const YOUNG_MS = 1000;

/**
 * The tokens in `<home>/token` as the file is now: tokens that are added work at once, removed ones no more. While the
 * file is missing or invalid the tokens of its last valid content count, and `onProblem` is told once.
 */
export function liveTokens(
  home: string,
  { onProblem = () => {} }: { onProblem?: (error: unknown, file: string) => void } = {},
): Tokens & { file: string } {
  // Before it is read: what changes meanwhile is noticed.
  let seen = stampOf(tokenFileOf(home));
  let current = loadTokens(home);
  const { file } = current;
  let reported: string | null = null;

  function refresh(): void {
    const stamp = stampOf(file);
    if (stamp !== null && stamp === seen) return;
    try {
      // Unlike at the start, a file that is missing is not made again: its owner may be replacing it.
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
    // Whatever is shown, the same is done first, so the time it takes says nothing about the token.
    scopeOf(token) {
      refresh();
      return current.scopeOf(token);
    },
  };
}

/** Tells one content of the file from the next; null when it cannot. */
function stampOf(file: string): string | null {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || Date.now() - Number(stat.ctimeMs) < YOUNG_MS) return null;
  return `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}
