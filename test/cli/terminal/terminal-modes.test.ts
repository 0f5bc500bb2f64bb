import { expect, test } from 'vitest';
import { TerminalModes } from '../../../src/cli/terminal/terminal-modes.ts';

const PEN = '\x1b[0m';

function resetAfter(...pieces: string[]): string {
  const modes = new TerminalModes();
  for (const piece of pieces) modes.pass(Buffer.from(piece));
  return modes.reset();
}

test('enabled modes are disabled, the alternate screen last', () => {
  expect(resetAfter('plain\r\n\x1b[31mred')).toBe(PEN);
  expect(resetAfter('\x1b[?1049h\x1b[?25l\x1b[?1000;1006h\x1b[?2004h')).toBe(
    `${PEN}\x1b[?25h\x1b[?1000l\x1b[?1006l\x1b[?2004l\x1b[?1049l`,
  );
  expect(resetAfter('\x1b[?7l')).toBe(`${PEN}\x1b[?7h`);
  expect(resetAfter('\x1b=\x1b[5 q\x1b[>4;2m\x1b[3;20r')).toBe(`${PEN}\x1b>\x1b[0 q\x1b[>4m\x1b7\x1b[r\x1b8`);
  expect(resetAfter('\x1b[>1u\x1b[>3u')).toBe(`${PEN}\x1b[<2u`);
  expect(resetAfter('\x1b[=5;1u\x1b(0qqq')).toBe(`${PEN}\x1b[=0u\x1b(B`);
});

test('modes that the program reset itself are left alone', () => {
  expect(resetAfter('\x1b[?1049h\x1b[?25l', '\x1b[?25h\x1b[?1049l')).toBe(PEN);
  expect(resetAfter('\x1b=\x1b>\x1b[2 q\x1b[0 q\x1b[>4;1m\x1b[>4m\x1b[1;5r\x1b[r\x1b[>1u\x1b[<u')).toBe(PEN);
  expect(resetAfter('\x1b[>1u\x1b[>3u\x1b[<2u\x1b[=1u\x1b[=0u\x1b(0\x1b(B')).toBe(PEN);
  expect(resetAfter('\x1b[?25h\x1b[?7h')).toBe(PEN);
});

test('a sequence may be cut anywhere', () => {
  const all = 'a\x1b[?1049hb\x1b[>1uc\x1b[?25ld';
  const whole = resetAfter(all);
  expect(whole).toBe(`${PEN}\x1b[<1u\x1b[?25h\x1b[?1049l`);
  for (let at = 0; at <= all.length; at++) expect(resetAfter(all.slice(0, at), all.slice(at))).toBe(whole);
  expect(resetAfter(...all)).toBe(whole);
});
