import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findEngine } from '../../../src/engines/index.ts';
import { detectFormat, HEAD_BYTES } from '../../../src/runs/import/detect-format.ts';
import { listFixtures, readFixtureLog } from '../../support/fixtures.ts';
import { listSessionFixtures } from '../../support/session-fixtures.ts';

const named = (head: Buffer | string) => {
  const found = detectFormat(Buffer.from(head));
  if (found.kind === 'output') return `output of ${found.profile.name}`;
  if (found.kind === 'session') return found.format.title;
  if (found.kind === 'asciicast') return `asciicast ${found.cast.version} of ${found.profile.name}`;
  return found.kind === 'script' ? `script log of ${found.profile.name}` : found.kind;
};

function castOf(file: string): string {
  const lines = fs.readFileSync(file, 'utf8').split(/(?<=\n)/);
  return `{"version":2,"width":80,"height":24}\n${lines.map((line) => `[0.1,"o",${JSON.stringify(line)}]\n`).join('')}`;
}

/** Logs in which the engine said at least something in its own protocol. */
const logs = listFixtures()
  .flatMap(({ engine, name, folder, expected }) =>
    (['stdout', 'pty'] as const).map((stream) => ({
      engine,
      name,
      stream,
      expected,
      log: readFixtureLog(folder, stream),
    })),
  )
  .filter(({ engine, expected, log }) => engine !== 'iflow' && expected.session_id !== null && log && log.length > 0);

describe('detectFormat', () => {
  test('finds the engine of every log in which one speaks', () => {
    expect(logs.length).toBeGreaterThan(60);
    const wrong = logs.filter(({ engine, log }) => {
      const { sessions } = findEngine(engine)!;
      const printed = sessions?.isPrinted ? [sessions.title] : [];
      return ![`output of ${engine}`, `script log of ${engine}`, ...printed].includes(named(log!));
    });
    expect(wrong.map(({ engine, name, stream }) => `${engine} ${name} ${stream}`)).toEqual([]);
  });

  test('finds every session file, and not the output of the same engine', () => {
    for (const { bytes, format, engine } of listSessionFixtures()) {
      expect(named(bytes)).toBe(format.title);
      expect(detectFormat(bytes, findEngine(engine))).toMatchObject({ kind: 'session' });
    }
  });

  test.each([
    ['{"version":2,"width":80,"height":24}\n[0.1,"o","x"]\n', 'asciicast 2 of text'],
    ['{"version":3,"term":{"cols":80,"rows":24}}\n[0.1,"o","x"]\n', 'asciicast 3 of text'],
    ['{"version": 1, "width": 80, "height": 24, "duration": 1.5, "stdout": [[0.1,"x"]]}', 'asciicast 1 of text'],
    [
      `{\n  "version": 1,\n  "width": 80,\n  "height": 24,\n  "stdout": [\n    [0.1, "${'x'.repeat(HEAD_BYTES)}`,
      'asciicast 1 of text',
    ],
    [castOf('test/fixtures/codex/tool/stdout.log'), 'asciicast 2 of codex'],
    ['Script started on 2026-11-17 00:06:37+00:00 [COMMAND="ls"]\nx\n', 'script log of text'],
  ])('finds recordings of terminals: %.40s', (head, expected) => {
    expect(named(Buffer.from(head).subarray(0, HEAD_BYTES))).toBe(expected);
  });

  test.each([
    ['', 'an empty file'],
    ['Hello, this is a note.\nIt has lines.\n', 'plain text: "Hello, this is a note."'],
    ['\u001b[31mred\u001b[0m alert\n', 'plain text: "[31mred [0m alert"'],
    [
      '{"type":"order","amount":3}\n{"type":"invoice"}\n',
      'JSON lines with the types "order", "invoice" and the fields type, amount',
    ],
    ['{\n  "name": "x",\n  "dependencies": {}\n}\n', 'a JSON document of another kind'],
    [Buffer.from('1f8b0800000000000003', 'hex'), 'a gzip archive'],
    [Buffer.from('SQLite format 3\0\u0010'), 'an SQLite database'],
    [Buffer.from([1, 2, 0, 3]), 'binary data'],
    ['{"version":9,"width":80,"height":24}\n', 'JSON lines with the types none and the fields version, width, height'],
  ])('says what it sees instead of a log: %.40s', (head, seen) => {
    expect(detectFormat(Buffer.from(head as string))).toEqual({ kind: 'unknown', seen });
  });

  test('finds an engine although the limit cuts a line off', () => {
    const log = fs.readFileSync('test/fixtures/codex/tool/stdout.log');
    const long = JSON.stringify({
      type: 'item.completed',
      item: { id: 'i', type: 'agent_message', text: 'x'.repeat(HEAD_BYTES) },
    });
    expect(named(Buffer.concat([log, Buffer.from(long)]).subarray(0, HEAD_BYTES))).toBe('output of codex');
  });

  test('takes nothing but the output of a given engine for it', () => {
    const codex = fs.readFileSync('test/fixtures/codex/tool/stdout.log');
    expect(detectFormat(codex, findEngine('codex'))).toMatchObject({ kind: 'output' });
    expect(detectFormat(codex, findEngine('claude'))).toMatchObject({ kind: 'unknown' });
  });
});
