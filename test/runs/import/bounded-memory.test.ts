import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { copyLog } from '../../../src/runs/import/copy-log.ts';
import { readAsciicast } from '../../../src/runs/import/formats/asciicast.ts';
import { linesOf } from '../../../src/runs/import/lines.ts';
import { recordTerminal } from '../../../src/runs/import/record-terminal.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const PIECE = 64 * 1024;

/** Pieces of a log that are made when they are asked for; tells how many bytes that was. */
function* pieces(count: number, make: (index: number) => string, onPiece: (total: number) => void): Generator<Buffer> {
  let total = 0;
  for (let index = 0; index < count; index++) {
    onPiece(total);
    const piece = Buffer.from(make(index));
    total += piece.length;
    yield piece;
  }
}

describe('what an import holds in memory does not grow with the log', () => {
  test('a copied log is on disk up to the last piece', () => {
    const file = path.join(temporaryFolder(), 'stdout.1.log');
    let held = 0;
    const source = pieces(
      64,
      () => 'x'.repeat(PIECE),
      (total) => {
        held = Math.max(held, total - (fs.existsSync(file) ? fs.statSync(file).size : 0));
      },
    );
    expect(copyLog(source, file)).toBe(64 * PIECE);
    expect(held).toBe(0);
  });

  test('a recorded terminal is on disk up to the last batch', () => {
    const auditFolder = temporaryFolder();
    const file = path.join(auditFolder, 'pty-output.1.log');
    const event = `[0.1,"o","${'x'.repeat(1000)}"]\n`;
    const head = '{"version":2,"width":80,"height":24}\n';
    let held = 0;
    const source = pieces(
      64,
      (index) => (index === 0 ? head : event.repeat(64)),
      (total) => {
        held = Math.max(held, total - (fs.existsSync(file) ? fs.statSync(file).size : 0));
      },
    );
    const { moments } = readAsciicast(2, source);
    const header = { startedAt: 0, command: null, term: 'xterm', cols: 80, rows: 24 };
    expect(recordTerminal(moments, header, { auditFolder, attempt: 1 }).outputBytes).toBe(63 * 64 * 1000);
    expect(held).toBeLessThan(512 * 1024);
  });

  test('a line without an end is not kept', () => {
    const long = pieces(
      64,
      () => 'x'.repeat(PIECE),
      () => {},
    );
    expect([...linesOf(long, PIECE)]).toEqual([{ number: 1, text: null }]);
    const mixed = [Buffer.from('one\ntwo'), Buffer.from('2\n'), Buffer.from('x'.repeat(40)), Buffer.from('\nlast')];
    expect([...linesOf(mixed, 10)].map(({ text }) => text)).toEqual(['one', 'two2', null, 'last']);
  });
});
