import type { DiagnosticCode } from '../protocol/index.ts';

/** A line outside of an engine's protocol that says why it failed or that it retries. */
export interface LinePattern {
  code: DiagnosticCode;
  pattern: RegExp;
}

/** Longer lines are no error messages. */
const LONGEST = 8192;
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

export function matchLine(
  patterns: readonly LinePattern[],
  bytes: Buffer,
): { code: DiagnosticCode; message: string } | null {
  if (patterns.length === 0 || bytes.length > LONGEST) return null;
  const message = withoutEscapes(bytes.toString('utf8')).trim();
  for (const { code, pattern } of patterns) if (pattern.test(message)) return { code, message };
  return null;
}

/** Text without the colours and other terminal controls in it. */
export function withoutEscapes(text: string): string {
  return text.includes('\u001b') ? text.replaceAll(ESCAPES, '') : text;
}
