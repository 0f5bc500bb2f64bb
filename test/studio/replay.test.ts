import { createRequire } from 'node:module';
import type { Terminal as TerminalType } from '@xterm/xterm';
import { expect, test } from 'vitest';
import { positionAt } from '../../studio/model/terminal/frames.ts';
import { Keyframes } from '../../studio/model/terminal/keyframes.ts';
import { addChunks, emptyRecording } from '../../studio/model/terminal/recording.ts';
import type { Tape } from '../../studio/model/terminal/tape.ts';
import { Replay } from '../../studio/panes/terminal/replay.ts';
import { proofSize } from '../support/proof-size.ts';

const { Terminal } = createRequire(import.meta.url)('@xterm/xterm') as typeof import('@xterm/xterm');
const START = '2026-11-15T08:00:00.000Z';
const always = () => true;

test('scrubbing shows the terminal at that time, for lines', async () => {
  const lines = Array.from(
    { length: proofSize({ small: 15_000, full: 60_000 }) },
    (_, n) => `\x1b[3${n % 8}mline ${n}\x1b[0m 中文 ${'x'.repeat(n % 70)}\n`,
  );
  await expectSameEverywhere(lines.join(''), [0.9, 0.2, 0.21, 0.6, 0.99, 0.05]);
});

test('scrubbing shows the terminal at that time, for a full-screen program', async () => {
  const draws = Array.from({ length: proofSize({ small: 25_000, full: 90_000 }) }, (_, n) => {
    const place = `\x1b[${(n % 30) + 1};${((n * 7) % 80) + 1}H`;
    return `${place}\x1b[38;2;${n % 256};10;20;${n % 3 === 0 ? 1 : 22}m${n}é\x1b[48;5;${n % 256}m `;
  });
  const text = `before\n\x1b[?1049h\x1b[5;20r\x1b[?25l${draws.join('')}\x1b[?1049l after\n`;
  await expectSameEverywhere(text, [0.5, 0.9, 0.3, 1, 0.4, 0.41]);
});

test('a keyframe shortens a long seek', async () => {
  const tape = tapeOf('a line of text, and another one\n'.repeat(80_000));
  const replay = new Replay(terminal());
  await replay.show(tape, positionAt(tape.recording, Number.POSITIVE_INFINITY), always);
  let bytes = 0;
  const read = (from: number, to: number) => {
    bytes += to - from;
    return tape.read(from, to);
  };
  await new Replay(terminal()).show({ ...tape, read }, { offset: 2_000_000, resizes: 1 }, always);
  expect(bytes).toBeLessThan(600_000);
});

test('an aborted replay stops early', async () => {
  const tape = tapeOf('a line of text\n'.repeat(80_000));
  let asked = 0;
  const arrived = await new Replay(terminal()).show(tape, positionAt(tape.recording, Number.POSITIVE_INFINITY), () => {
    asked++;
    return asked < 3;
  });
  expect({ arrived, asked }).toEqual({ arrived: false, asked: 3 });
});

/** Seeks in one terminal and compares it with others played from the beginning. */
async function expectSameEverywhere(text: string, shares: readonly number[]): Promise<void> {
  const tape = tapeOf(text);
  const screen = terminal();
  const replay = new Replay(screen);
  await replay.show(tape, positionAt(tape.recording, Number.POSITIVE_INFINITY), always);
  for (const share of shares) {
    const time = Date.parse(START) + share * (tape.recording.ends.length - 1);
    const position = positionAt(tape.recording, time);
    await replay.show(tape, position, always);
    const straight = terminal();
    await new Replay(straight).show({ ...tape, keyframes: new Keyframes() }, position, always);
    // Compared as a whole first: a diff of thousands of lines is useless.
    const same = JSON.stringify(drawn(screen)) === JSON.stringify(drawn(straight));
    expect({ share, same }).toEqual({ share, same: true });
  }
}

/** One frame of 1000 bytes per millisecond, split anywhere; a resize in the middle. */
function tapeOf(text: string): Tape {
  const header = 'Script started [COMMAND="x" TERM="x" COLUMNS="80" LINES="30"]\n';
  const file = Buffer.from(header + text);
  const size = file.length - header.length;
  const recording = emptyRecording(1);
  const count = Math.ceil(size / 1000);
  const chunks = Array.from({ length: count }, (_, n) => ({
    time_us: n * 1000,
    stream: 'stdout' as const,
    byte_from: n * 1000,
    byte_to: Math.min(size, (n + 1) * 1000),
  }));
  const half = count >> 1;
  const resize = { time_us: half * 1000, stream: null, byte_from: null, byte_to: null, cols: 100, rows: 40 };
  addChunks(recording, {
    first_ts: START,
    bytes: { stdin: 0, stdout: size, stderr: 0, pty: file.length },
    chunks: [...chunks.slice(0, half), resize, ...chunks.slice(half)],
  });
  const read = async (from: number, to: number) => file.subarray(from, to);
  return { recording, size: { cols: 80, rows: 30 }, keyframes: new Keyframes(), read };
}

function terminal(): TerminalType {
  return new Terminal({ cols: 80, rows: 30, allowProposedApi: true });
}

function drawn({ buffer, cols, rows }: TerminalType) {
  const { active } = buffer;
  const lines = Array.from({ length: active.length }, (_, y) => {
    const line = active.getLine(y)!;
    return Array.from({ length: cols }, (_, x) => {
      const cell = line.getCell(x)!;
      const style = [cell.getFgColorMode(), cell.getFgColor(), cell.getBgColorMode(), cell.getBgColor(), cell.isBold()];
      return `${cell.getChars() || ' '}${style}`;
    }).join('|');
  });
  return { lines, cols, rows, cursor: [active.cursorX, active.cursorY], type: active.type };
}
