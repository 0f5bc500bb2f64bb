import type { DiagnosticCode, OutputStream } from '../protocol/index.ts';

/** A line outside of an engine's protocol that says why it failed or that it retries. */
export interface LinePattern {
  code: DiagnosticCode;
  pattern: RegExp;
  /** How an earlier line begins that is part of the message. */
  begins?: RegExp;
  /** Unless it is that of the code. */
  severity?: 'warning';
}

export interface MatchedLine {
  by: LinePattern;
  code: DiagnosticCode;
  message: string;
  facts: { severity?: 'warning' };
}

/** Longer lines are no error messages. */
const LONGEST = 8192;
/** A message that began with an earlier line is over after this many. */
const MAX_LINES = 10;
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/** Finds messages among the lines of each stream. */
export function createLineMatcher(
  patterns: readonly LinePattern[],
): (stream: OutputStream, bytes: Buffer) => MatchedLine | null {
  const begun: Partial<Record<OutputStream, string[]>> = {};

  return (stream, bytes) => {
    if (patterns.length === 0 || bytes.length > LONGEST) return null;
    const line = plainText(bytes);
    const found = matchText(patterns, line);
    const earlier = begun[stream];
    if (found || !earlier || earlier.length === MAX_LINES) delete begun[stream];
    else earlier.push(line);
    if (!found) {
      if (patterns.some(({ begins }) => begins?.test(line))) begun[stream] = [line];
      return null;
    }
    const { begins } = found.by;
    if (!earlier || !begins || begins.test(line)) return found;
    return { ...found, message: [...earlier, line].join(' ') };
  };
}

/** A line by itself. */
export function matchLine(patterns: readonly LinePattern[], bytes: Buffer): MatchedLine | null {
  return bytes.length > LONGEST ? null : matchText(patterns, plainText(bytes));
}

function matchText(patterns: readonly LinePattern[], message: string): MatchedLine | null {
  for (const by of patterns) {
    if (by.pattern.test(message)) {
      return { by, code: by.code, message, facts: by.severity ? { severity: by.severity } : {} };
    }
  }
  return null;
}

function plainText(bytes: Buffer): string {
  return withoutEscapes(bytes.toString('utf8')).trim();
}

/** Text without the colours and other terminal controls in it. */
export function withoutEscapes(text: string): string {
  return text.includes('\u001b') ? text.replaceAll(ESCAPES, '') : text;
}
