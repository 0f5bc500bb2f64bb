import {
  type EngineProfile,
  findEngine,
  guessEngine,
  listEngines,
  type SessionFormat,
  scoreOf,
} from '../../engines/index.ts';
import { type Asciicast, readAsciicast, readAsciicastHeader } from './formats/asciicast.ts';
import { readScriptHeader } from './formats/script-log.ts';

/** What a log was found to be. */
export type LogFormat =
  | { kind: 'asciicast'; cast: Asciicast; profile: EngineProfile }
  | { kind: 'script'; profile: EngineProfile }
  | { kind: 'session'; profile: EngineProfile; format: SessionFormat }
  | { kind: 'output'; profile: EngineProfile }
  /** None that tacho can read; in words, for people. */
  | { kind: 'unknown'; seen: string };

/** As much of a log as is read to find out what it is. */
export const HEAD_BYTES = 1024 * 1024;
const FIRST_ENTRIES = 10;
const LINE_FEED = 0x0a;

/** Finds the format of a log by its beginning. With `engine`, only what that engine writes or prints counts. */
export function detectFormat(head: Buffer, engine: EngineProfile | null = null): LogFormat {
  const engines = engine ? [engine] : listEngines();
  const cast = readAsciicastHeader(head);
  if (cast) return { kind: 'asciicast', cast, profile: engine ?? shownBy(outputOf(cast, head)) };
  const script = readScriptHeader(head);
  if (script) return { kind: 'script', profile: engine ?? shownBy(head.subarray(script.length)) };
  const entries = firstEntries(head);
  for (const profile of engines) {
    const format = profile.sessions;
    if (format && entries.some((entry) => format.recognizes(entry))) return { kind: 'session', profile, format };
  }
  const lines = wholeLines(head);
  const printedBy = engine ? (scoreOf(lines, engine) > 0 ? engine : null) : guessEngine(lines, engines)?.profile;
  return printedBy ? { kind: 'output', profile: printedBy } : { kind: 'unknown', seen: describe(head, entries) };
}

/** The engine that worked in a recorded terminal; else it was any command. */
function shownBy(output: Buffer): EngineProfile {
  return guessEngine(wholeLines(output), listEngines())?.profile ?? findEngine('text')!;
}

/** What the terminal showed in the beginning of an asciicast. */
function outputOf({ version }: Asciicast, head: Buffer): Buffer {
  const { moments } = readAsciicast(version, [head]);
  return Buffer.concat([...moments].flatMap((moment) => (moment.kind === 'output' ? [moment.bytes] : [])));
}

/** The JSON objects on the first lines. */
function firstEntries(head: Buffer): Record<string, unknown>[] {
  const entries: Record<string, unknown>[] = [];
  for (const line of head.toString('utf8').split('\n')) {
    if (entries.length === FIRST_ENTRIES) break;
    if (!/^\s*\{/.test(line)) continue;
    try {
      entries.push(JSON.parse(line) as Record<string, unknown>);
    } catch {
      // Cut off, or not JSON.
    }
  }
  return entries;
}

/** Without a last line that the limit cut off, which no parser could read. */
function wholeLines(head: Buffer): Buffer {
  const end = head.lastIndexOf(LINE_FEED);
  return head.length < HEAD_BYTES / 2 || end < 0 ? head : head.subarray(0, end + 1);
}

const MAGIC: readonly (readonly [string, string])[] = [
  ['1f8b', 'a gzip archive'],
  ['504b0304', 'a zip archive'],
  ['28b52ffd', 'a zstd archive'],
  ['fd377a585a00', 'an xz archive'],
  ['7f454c46', 'a program'],
  [Buffer.from('SQLite format 3').toString('hex'), 'an SQLite database'],
  ['89504e47', 'a picture'],
];

/** What the log looks like instead. */
function describe(head: Buffer, entries: readonly Record<string, unknown>[]): string {
  if (head.length === 0) return 'an empty file';
  const start = head.subarray(0, 16).toString('hex');
  const known = MAGIC.find(([magic]) => start.startsWith(magic));
  if (known) return known[1];
  if (head.subarray(0, 4096).includes(0)) return 'binary data';
  if (entries.length > 0) {
    const types = [...new Set(entries.map(({ type }) => (typeof type === 'string' ? `"${shown(type)}"` : 'none')))];
    const keys = Object.keys(entries[0]!).slice(0, 6).map(shown).join(', ');
    return `JSON lines with the types ${types.slice(0, 5).join(', ')} and the fields ${keys}`;
  }
  if (/^\s*[[{]/.test(head.toString('utf8', 0, 64))) return 'a JSON document of another kind';
  return `plain text: "${shown(head.toString('utf8', 0, 200).split('\n')[0] ?? '')}"`;
}

/** Short, and without control characters. */
function shown(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain;
}
