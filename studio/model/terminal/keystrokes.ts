import { lastAtMost } from './frames.ts';
import type { Recording } from './recording.ts';

/** Keys fade from the screen after this time. */
const SHOWN_MS = 4000;
const MAX_BYTES = 64;
const MAX_KEYS = 24;

/** Range of stdin with the keys typed just before a time since the epoch: `from-to`, or empty. */
export function inputAt({ inputs }: Recording, time: number): string {
  const last =
    inputs[
      lastAtMost(
        inputs.map((input) => input.time),
        time,
      )
    ];
  if (!last || time - last.time > SHOWN_MS) return '';
  const recent = inputs.filter((input) => input.time <= time && input.time >= time - SHOWN_MS);
  return `${Math.max(recent[0]!.from, last.to - MAX_BYTES)}-${last.to}`;
}

const NAMES: Record<string, string> = {
  '\r': '⏎',
  '\n': '⏎',
  '\t': '⇥',
  '\x7f': '⌫',
  '\x1b': 'Esc',
  '\x1b[A': '↑',
  '\x1b[B': '↓',
  '\x1b[C': '→',
  '\x1b[D': '←',
  ' ': '␣',
};

/** Keyboard bytes as names of keys. */
export function keyNames(typed: string): string[] {
  // A sequence is one key; otherwise each character is one.
  const keys = typed.match(/\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|[\s\S]/gu) ?? [];
  return keys.slice(-MAX_KEYS).map((key) => NAMES[key] ?? named(key));
}

function named(key: string): string {
  const code = key.codePointAt(0) ?? 0;
  if (key.startsWith('\x1b')) return key.replace('\x1b', 'Esc ');
  return code < 32 ? `^${String.fromCharCode(code + 64)}` : key;
}
