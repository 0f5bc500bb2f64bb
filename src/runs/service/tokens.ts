import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { createOnce } from '../../files/index.ts';
import { TachoError, type TokenScope, tokenScopeSchema } from '../../protocol/index.ts';

const TOKEN_FILE = 'token';
const MIN_TOKEN_LENGTH = 16;

/** Access rights by token. */
export interface Tokens {
  /** The scope of a token; null if unknown. */
  scopeOf(token: string): TokenScope | null;
  /** The first admin token, for the page and the command line. */
  admin: string;
}

interface Token {
  scope: TokenScope;
  token: string;
}

/**
 * Reads `<home>/token`, created with one admin token if missing. One token per line: its scope, then the token; `#`
 * starts a comment. Only the owner may access the file.
 */
export function loadTokens(home: string): Tokens & { file: string } {
  const file = tokenFileOf(home);
  if (!fs.existsSync(file)) create(file);
  const fd = fs.openSync(file, 'r');
  try {
    if ((fs.fstatSync(fd).mode & 0o077) !== 0) fs.fchmodSync(fd, 0o600);
    return { ...tokensOf(parse(fs.readFileSync(fd, 'utf8'), file)), file };
  } finally {
    fs.closeSync(fd);
  }
}

export function tokenFileOf(home: string): string {
  return path.join(home, TOKEN_FILE);
}

/** Compares in constant time, which reveals neither how much of a token was right nor which one is similar. */
export function tokensOf(list: readonly Token[]): Tokens {
  const known = list.map(({ scope, token }) => ({ scope, digest: digest(token) }));
  return {
    scopeOf(token) {
      const shown = digest(token);
      let scope: TokenScope | null = null;
      for (const candidate of known) if (timingSafeEqual(candidate.digest, shown)) scope = candidate.scope;
      return scope;
    },
    admin: list.find(({ scope }) => scope === 'admin')?.token ?? '',
  };
}

/** Atomic: of two servers that start for the first time at once, one creates it and both read it. */
function create(file: string): void {
  try {
    // Not recursive: where the kernel refuses to create a folder, as in /proc, that never returns.
    if (!fs.existsSync(path.dirname(file))) fs.mkdirSync(path.dirname(file), { mode: 0o700 });
    createOnce(file, `admin tacho_${randomBytes(32).toString('base64url')}\n`);
  } catch (cause) {
    throw new TachoError('DATA_FOLDER_UNWRITABLE', `${file} cannot be written: ${(cause as Error).message}`, {
      facts: { path: file },
      cause,
      fix: 'Make the data folder writable, or choose another with --data or TACHO_HOME.',
    });
  }
}

function parse(text: string, file: string): Token[] {
  const tokens: Token[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const [word, token, ...rest] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!word) continue;
    const scope = tokenScopeSchema.safeParse(word);
    if (!scope.success || token === undefined || token.length < MIN_TOKEN_LENGTH || rest.length > 0) {
      throw new TachoError('CONFIG_INVALID', `line ${index + 1} of ${file} is not a token`, {
        facts: { path: file, line: index + 1 },
        fix: `Write a scope (${tokenScopeSchema.options.join(', ')}) and a token of at least ${MIN_TOKEN_LENGTH} characters.`,
      });
    }
    tokens.push({ scope: scope.data, token });
  }
  if (tokens.some(({ scope }) => scope === 'admin')) return tokens;
  throw new TachoError('CONFIG_INVALID', `${file} holds no admin token`, {
    facts: { path: file },
    fix: 'Remove the file; the next start makes a new one.',
  });
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
