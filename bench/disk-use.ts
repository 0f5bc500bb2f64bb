import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Row } from './row.ts';
import { codexLog } from './support/codex-log.ts';
import { tacho } from './support/time-in-turns.ts';

export const name = 'disk use';
export const goal = 'events ≤ 0.25, everything ≤ 2.5 bytes for each byte printed';
export const about =
  'A command prints 30 MB of text: the source of a program, with quotes, tabs, colours and characters beyond ASCII. Counted are all files of its ' +
  'record, and those of its events alone. Two further figures, without a goal, are of imported logs, which have no merged log but a conversation: ' +
  'the same text, printed by an engine beside its protocol; and the protocol of codex, whose messages and tool output are part of the events.';

const BYTES = 30_000_000;
const MAX_EVENTS = 0.25;
const MAX_ALL = 2.5;
const EVENT_FILES = /^(?:events\.|parser_diagnostics\.)/;

export async function run(): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  try {
    const text = path.join(folder, 'text.log');
    fs.writeFileSync(text, sourceText());
    const printed = sizesOf(folder, 'printed', ['run', '--scratch', '--', 'cat', text]);
    const imported = sizesOf(folder, 'imported', ['import', 'codex', '--stdout', text, '--exit-code', '0']);
    const protocol = path.join(folder, 'protocol.log');
    fs.writeFileSync(protocol, codexLog(BYTES).subarray(0, BYTES));
    const events = sizesOf(folder, 'protocol', ['import', 'codex', '--stdout', protocol, '--exit-code', '0']);
    return [
      row('bytes on disk for each byte printed: events', printed.events, MAX_EVENTS),
      row('bytes on disk for each byte printed: everything', printed.all, MAX_ALL),
      row('bytes on disk for each byte beside a protocol: events', imported.events, null),
      row('bytes on disk for each byte beside a protocol: everything', imported.all, null),
      row('bytes on disk for each byte of a protocol: events', events.events, null),
      row('bytes on disk for each byte of a protocol: everything', events.all, null),
    ];
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function row(what: string, bytes: number, limit: number | null): Row {
  const share = bytes / BYTES;
  return {
    what,
    ours: share.toFixed(3),
    peer: '1',
    peerName: 'the text itself',
    ratio: share,
    goal: limit === null ? '–' : `≤ ${limit}`,
    met: limit === null ? null : share <= limit,
  };
}

/** Runs a command in a data folder of its own and measures the one record that it leaves. */
function sizesOf(folder: string, data: string, args: readonly string[]): { events: number; all: number } {
  const env = { ...process.env, TACHO_HOME: path.join(folder, data) };
  const { status, stderr } = spawnSync(process.execPath, [tacho, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`tacho ${args[0]} failed: ${stderr}`);
  const runs = path.join(folder, data, 'runs');
  const audit = path.join(runs, fs.readdirSync(runs)[0]!, '.audit');
  const files = fs.readdirSync(audit, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sized = files.map(({ name, parentPath }) => ({ name, size: fs.statSync(path.join(parentPath, name)).size }));
  const sum = (some: typeof sized) => some.reduce((bytes, { size }) => bytes + size, 0);
  return { events: sum(sized.filter(({ name }) => EVENT_FILES.test(name))), all: sum(sized) };
}

function sourceText(): Buffer {
  const lines = [
    '\tconst open = new Set<string>(); // "quoted", \\ escaped and coloured: \u001b[32mok\u001b[0m',
    '/** Reads each line * once; größer, 行, 🙂. */',
    "  if (line.startsWith('{') && line.endsWith('}')) return JSON.parse(line);",
  ];
  const block = Buffer.from(`${lines.join('\n')}\n`);
  return Buffer.alloc(BYTES, block);
}
