import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endPiped, writePiped } from '../../src/terminal/index.ts';
import { proofSize } from '../support/proof-size.ts';
import { type FinishedTerminal, runTerminal, temporaryFolder } from './run-terminal.ts';

/** Runs the command with these bytes as its whole input. */
function feed(argv: readonly string[], ...pieces: readonly Uint8Array[]): Promise<FinishedTerminal> {
  return runTerminal(argv, {}, async ({ terminal }) => {
    for (const piece of pieces) await writePiped(terminal, piece);
    await endPiped(terminal);
  });
}

async function throughCat(...pieces: readonly Uint8Array[]): Promise<Buffer> {
  const file = path.join(temporaryFolder(), 'copy');
  const end = await feed(['sh', '-c', `cat > ${file}`], ...pieces);
  expect(end).toMatchObject({ exitCode: 0, signal: null, drained: true });
  expect(end.a).toEqual(Buffer.alloc(0));
  return fs.readFileSync(file);
}

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

describe('input from a file or a pipe', () => {
  test('arrives byte for byte, all 256 values, in any order', async () => {
    expect(await throughCat(everyByte)).toEqual(everyByte);
    const reversed = Buffer.from(everyByte).reverse();
    expect(await throughCat(reversed, everyByte)).toEqual(Buffer.concat([reversed, everyByte]));
  });

  test('arrives byte for byte, for any content and chunks', async () => {
    const special = fc.constantFrom(0x00, 0x03, 0x04, 0x0a, 0x0d, 0x11, 0x13, 0x15, 0x16, 0x1a, 0x1c, 0x7f, 0xff);
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.array(special, { maxLength: 2000 }).map((bytes) => Uint8Array.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 4 }), async (pieces) => {
        expect(await throughCat(...pieces)).toEqual(Buffer.concat(pieces));
      }),
      { numRuns: proofSize({ small: 12, full: 40 }) },
    );
  });

  test('may be one line of 100 KB without a line ending', async () => {
    const line = Buffer.from(randomBytes(50_000).toString('hex'));
    expect(await throughCat(line)).toEqual(line);
  });

  test('may have lines longer than a terminal allows, read one byte at a time', async () => {
    const lengths = [1, 1023, 1024, 1025, 4095, 4096, 5000, 10_000];
    const lines = Buffer.from(lengths.map((length) => `${'q'.repeat(length)}\n`).join(''));
    const end = await feed(['bash', '-c', 'while IFS= read -r line; do expr length "$line"; done'], lines);
    expect(end.a.toString().trim().split('\n').map(Number)).toEqual(lengths);
  });

  test.each([1, 64, 1024])('does not end early for a program that reads %i bytes at a time', async (size) => {
    const bytes = Buffer.alloc(4096, 'z');
    const count = `$n = 0; while ($got = sysread(STDIN, $_, ${size})) { $n += $got } print $n`;
    expect((await feed(['perl', '-e', count], bytes)).a.toString()).toBe('4096');
  });

  test('that is empty gives an end of file', async () => {
    expect(await throughCat()).toEqual(Buffer.alloc(0));
    expect(await throughCat(Buffer.alloc(0))).toEqual(Buffer.alloc(0));
  });

  test('ends for every program that reads it, not only for the first', async () => {
    const script = 'wc -c; wc -c; bash -c "cat; cat"; read -r line || echo over';
    expect((await feed(['bash', '-c', script], Buffer.from('hello\n'))).a.toString()).toBe('6\n0\nover\n');
  });

  test('ends also for a program that returns from raw mode', async () => {
    const go = path.join(temporaryFolder(), 'go');
    const script = `stty -icanon; echo raw; until [ -e ${go} ]; do sleep 0.01; done; stty icanon; wc -c`;
    const end = await runTerminal(['bash', '-c', script], {}, async ({ terminal, printed }) => {
      await printed('raw\n');
      await endPiped(terminal);
      fs.writeFileSync(go, '');
    });
    expect(end.a.toString()).toBe('raw\n0\n');
  });

  test('does not trigger changed control characters of a terminal', async () => {
    const file = path.join(temporaryFolder(), 'copy');
    const end = await runTerminal(
      ['bash', '-c', `stty intr x eof q lnext w; echo ready; cat > ${file}`],
      {},
      async ({ terminal, printed }) => {
        await printed('ready\n');
        await writePiped(terminal, Buffer.from('wxyz qrst\x03\x04\x16 end'));
        await endPiped(terminal);
      },
    );
    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(fs.readFileSync(file, 'latin1')).toBe('wxyz qrst\x03\x04\x16 end');
  });

  test('arrives unquoted in raw mode', async () => {
    const code = [
      'process.stdin.setRawMode(true); console.log("ready"); let all = Buffer.alloc(0);',
      'process.stdin.on("data", (bytes) => { all = Buffer.concat([all, bytes]);',
      'if (all.length >= 256) { process.stdout.write(all); process.exit() } })',
    ].join(' ');
    const end = await runTerminal(['node', '-e', code], {}, async ({ terminal, printed }) => {
      await printed('ready\n');
      await writePiped(terminal, everyByte);
      await endPiped(terminal);
    });
    expect(end.a).toEqual(Buffer.concat([Buffer.from('ready\n'), everyByte]));
  });

  test('is dropped when the program ends without reading it', async () => {
    const end = await feed(['sh', '-c', 'sleep 0.1; exit 2'], Buffer.alloc(100_000, 'x'));
    expect(end).toMatchObject({ exitCode: 2, drained: true });
  });

  test('waits for a program that reads slowly', async () => {
    const bytes = Buffer.alloc(8192, 'slow ');
    const slow = 'while (sysread(STDIN, $_, 700)) { print; select(undef, undef, undef, 0.005) }';
    expect((await feed(['perl', '-e', slow], bytes)).a).toEqual(bytes);
  });
});
