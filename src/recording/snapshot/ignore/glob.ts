/** The parts of a pattern. A number is that byte; the others are wildcards. */
type Token = number | 'one' | 'star' | 'deep' | 'skip' | Uint8Array;

export interface Glob {
  matches(text: string): boolean;
}

interface GlobOptions {
  /** Whether `/` is an ordinary character, as in a pattern for a single name. */
  crossesFolders: boolean;
}

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const ASTERISK = 0x2a;

/**
 * A pattern of an ignore file with git's semantics, for latin1 strings of bytes. Null if it is malformed: git then
 * matches nothing. The time to match is bounded by the product of both lengths: patterns come from the workspace, and a
 * backtracking matcher could be made to run for hours.
 */
export function compileGlob(pattern: string, { crossesFolders }: GlobOptions): Glob | null {
  const tokens = tokensOf(Buffer.from(pattern, 'latin1'), crossesFolders);
  return tokens && { matches: (text) => simulate(tokens, text, crossesFolders) };
}

function tokensOf(bytes: Buffer, crossesFolders: boolean): Token[] | null {
  const tokens: Token[] = [];
  // Git compares the text before the first wildcard separately, so `**` right after it counts as the beginning.
  const start = bytes.findIndex((byte) => '*?[\\'.includes(String.fromCharCode(byte)));
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === ASTERISK) {
      let end = at + 1;
      while (bytes[end] === ASTERISK) end++;
      const alone = at === start || bytes[at - 1] === SLASH;
      if (end - at > 1 && !crossesFolders && alone && endsFolder(bytes, end)) {
        // `**/` matches any number of folders, including none.
        if (bytes[end] === SLASH) tokens.push('skip', 'deep', bytes[end++]!);
        else tokens.push('deep');
      } else {
        tokens.push(crossesFolders ? 'deep' : 'star');
      }
      at = end - 1;
    } else if (byte === BACKSLASH) {
      if (++at === bytes.length) return null;
      tokens.push(bytes[at]!);
    } else if (byte === 0x3f) {
      tokens.push('one');
    } else if (byte === 0x5b) {
      const set = readSet(bytes, at);
      if (!set) return null;
      tokens.push(set.members);
      at = set.end;
    } else {
      tokens.push(byte);
    }
  }
  return tokens;
}

function endsFolder(bytes: Buffer, at: number): boolean {
  return at === bytes.length || bytes[at] === SLASH || (bytes[at] === BACKSLASH && bytes[at + 1] === SLASH);
}

/** `[a-z]`, `[!abc]`, `[[:digit:]_]`: its members, and the position of its closing bracket. */
function readSet(bytes: Buffer, open: number): { members: Uint8Array; end: number } | null {
  const members = new Uint8Array(256);
  let at = open + 1;
  const negated = bytes[at] === 0x21 || bytes[at] === 0x5e;
  if (negated) at++;
  let previous = 0;
  // The first character is a member even if it is a closing bracket.
  for (let first = true; first || bytes[at] !== 0x5d; at++, first = false) {
    let byte = bytes[at];
    if (byte === undefined) return null;
    if (byte === BACKSLASH) {
      byte = bytes[++at];
      if (byte === undefined) return null;
      members[byte] = 1;
    } else if (byte === 0x2d && previous !== 0 && bytes[at + 1] !== undefined && bytes[at + 1] !== 0x5d) {
      let last = bytes[++at];
      if (last === BACKSLASH) last = bytes[++at];
      if (last === undefined) return null;
      if (previous <= last) members.fill(1, previous, last + 1);
      byte = 0;
    } else if (byte === 0x5b && bytes[at + 1] === 0x3a) {
      const close = bytes.indexOf(0x5d, at + 2);
      if (close < 0) return null;
      if (bytes[close - 1] === 0x3a && close - 1 >= at + 2) {
        const named = NAMED_SETS[bytes.toString('latin1', at + 2, close - 1)];
        if (!named) return null;
        for (let code = 0; code < 128; code++) if (named.test(String.fromCharCode(code))) members[code] = 1;
        at = close;
        byte = 0;
      } else {
        members[byte] = 1;
      }
    } else {
      members[byte] = 1;
    }
    previous = byte;
  }
  return { members: negated ? members.map((member) => 1 - member) : members, end: at };
}

const NAMED_SETS: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z0-9]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  cntrl: /[\0-\x1f\x7f]/,
  digit: /\d/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t-\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9a-f]/i,
};

/** Follows all alternatives at once, one character of the text at a time. */
function simulate(tokens: readonly Token[], text: string, crossesFolders: boolean): boolean {
  let current = new Uint8Array(tokens.length + 4);
  let next = new Uint8Array(tokens.length + 4);
  current[0] = 1;
  skipEmpty(tokens, current);
  for (let index = 0; index < text.length; index++) {
    const byte = text.charCodeAt(index);
    const inName = crossesFolders || byte !== SLASH;
    let alive = false;
    next.fill(0);
    for (let state = 0; state < tokens.length; state++) {
      if (current[state] === 0) continue;
      const token = tokens[state]!;
      const to = step(token, byte, inName);
      if (to === null) continue;
      next[state + to] = 1;
      alive = true;
    }
    if (!alive) return false;
    [current, next] = [next, current];
    skipEmpty(tokens, current);
  }
  return current[tokens.length] === 1;
}

/** How many tokens a character advances; null if it does not match. */
function step(token: Token, byte: number, inName: boolean): 0 | 1 | null {
  switch (token) {
    case 'deep':
      return 0;
    case 'star':
      return inName ? 0 : null;
    case 'one':
      return inName ? 1 : null;
    case 'skip':
      return null;
    default:
      if (typeof token === 'number') return token === byte ? 1 : null;
      return inName && token[byte] === 1 ? 1 : null;
  }
}

function skipEmpty(tokens: readonly Token[], states: Uint8Array): void {
  for (let state = 0; state < tokens.length; state++) {
    if (states[state] === 0) continue;
    const token = tokens[state];
    if (token === 'star' || token === 'deep' || token === 'skip') states[state + 1] = 1;
    if (token === 'skip') states[state + 3] = 1;
  }
}
