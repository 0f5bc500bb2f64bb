import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { on, resize, textOf } from './screen-moments.ts';

describe('a program that draws on its screen', () => {
  test.each([
    ['overwrites a line', '10%\r20%\r100%\ndone\n', '100%\ndone\n'],
    ['moves the cursor instead of writing blanks', 'Quick\x1b[1Csafety\x1b[15Gcheck\n', 'Quick safety  check\n'],
    ['erases what it wrote', 'wrong\x1b[2K\rright\n', 'right\n'],
    ['prints bold text by overstriking', 'N\bNA\bAM\bME\bE\n', 'NAME\n'],
    ['goes back to an earlier line', 'one ...\ntwo ...\n\x1b[2A\x1b[5Gdone\n\n', 'one done\ntwo ...\n'],
    ['draws boxes with the line-drawing characters', '\x1b(0lqk\x1b(B\n', '┌─┐\n'],
    ['places wide characters', '日本\x1b[1;6Hx\x1b[1;8H😀\x1b[1;11Hy\n', '日本 x 😀 y\n'],
    ['wraps a long line', `${'word '.repeat(8)}end\r\n\x1b[1;1HW`, `Word ${'word '.repeat(7)}end\n`],
  ])('%s', (_title, output, text) => {
    expect(textOf([on('a', output)])).toBe(text);
  });

  test('keeps the lines that scrolled off the screen, in order and once', () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `line ${index} ${'=>'.repeat(index % 15)}|`);
    const output = lines.map((line) => `loading\r\x1b[K${line}\n`).join('');
    expect(textOf([on('a', output)])).toBe(`${lines.join('\n')}\n`);
  });

  test('keeps lines that were written before the first sequence that needs a screen', () => {
    const before = Array.from({ length: 9000 }, (_, index) => `${'x'.repeat(60)} ${index}\n`).join('');
    expect(textOf([on('a', before), on('a', 'last\x1b[2A\rchanged\n\n')], { cols: 80, rows: 5 })).toBe(
      `${before.replace(/x{60} 8998\n/, `changed${'x'.repeat(53)} 8998\n`)}last\n`,
    );
  });

  test('keeps a screen that was there to be read, when something else replaces it', () => {
    const dialog = 'Delete everything?\r\n> yes\r\n  no';
    const moments = [on('a', dialog), on('a', '\x1b[3A\r\x1b[JDeleted.\r\n', 1000), on('a', 'bye\r\n', 1001)];
    expect(textOf(moments)).toBe('Delete everything?\n> yes\n  no\nDeleted.\nbye\n');
  });

  test('does not keep each step of typing, of a spinner or of a progress bar', () => {
    const typed = [...'make the tests green'].map((_, index, all) => `\r> ${all.slice(0, index + 1).join('')}`);
    const counted = Array.from({ length: 20 }, (_, index) => `\r\x1b[KWorking (${index}s)`);
    const moments = [...typed, '\r\n', ...counted, '\r\x1b[Kdone\r\n'].map((text, step) => on('a', text, step * 400));
    expect(textOf(moments, { cols: 40, rows: 5 })).toBe('> make the tests green\nWorking (19s)\ndone\n');
  });

  test('writes lines once that the program draws again', () => {
    const conversation = Array.from({ length: 12 }, (_, index) => `message ${index}`);
    const drawn = (count: number) => `\x1b[H\x1b[2J${conversation.slice(0, count).join('\r\n')}\r\n> `;
    const moments = [8, 10, 12].map((count, step) => on('a', drawn(count), step * 1000));
    expect(textOf(moments)).toBe(`${conversation.join('\n')}\n>\n`);
  });

  test('keeps what two equal commands print, although the screen was cleared between them', () => {
    const typed = ['$ ', 'ls\r\n', 'a  b\r\n$ ', 'clear\r\n', '\x1b[H\x1b[2J$ ', 'ls\r\n', 'a  b\r\n$ ', 'exit\r\n'];
    expect(textOf(typed.map((text, step) => on('a', text, step * 500)))).toBe(
      '$ ls\na  b\n$ clear\n$ ls\na  b\n$ exit\n',
    );
  });
});

describe('a full-screen program', () => {
  const enter = '\x1b[?1049h\x1b[H\x1b[2J';
  const leave = '\x1b[?1049l';

  test('is the screens it showed, each without what did not change', () => {
    const moments = [
      on('a', '$ edit\r\n'),
      on('a', `${enter}first\r\nsecond\r\nthird`, 100),
      on('a', '\x1b[2;1H\x1b[Kanother', 5000),
      on('a', `${leave}$ exit\r\n`, 65_000),
    ];
    expect(textOf(moments)).toBe(
      [
        '$ edit',
        '──── screen at 0:00 ────',
        'first',
        'second',
        'third',
        '──── screen at 0:05 ────',
        '⋮',
        'another',
        '⋮',
        '────',
        '$ exit',
        '',
      ].join('\n'),
    );
  });

  test('is the lines that scroll through it, even if it never rests', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `answer part ${index}`);
    const frames = lines.map((_, index) => {
      const shown = lines.slice(Math.max(0, index - 3), index + 1);
      return on('a', `\x1b[H${shown.map((line) => `${line}\x1b[K\r\n`).join('')}${'|/-\\'[index % 4]}`, index * 150);
    });
    const text = textOf([on('a', enter), ...frames, on('a', leave, 9000)]);
    const found = lines.filter((line) => text.split('\n').filter((written) => written === line).length === 1);
    // A screen holds four of them and is looked at once in a second, in which seven pass.
    expect(found.length).toBeGreaterThan(20);
    expect(found.every((line) => text.split('\n').filter((written) => written === line).length === 1)).toBe(true);
  });

  test('follows the size of the terminal', () => {
    const moments = [
      on('a', `${enter}wide enough for all of it`, 0),
      resize(40, 5, 1000),
      on('a', `\x1b[H\x1b[2Jwide enough for all of it, and more`, 1010),
      on('a', leave, 2000),
    ];
    expect(textOf(moments)).toContain('\nwide enough for all of it, and more\n');
  });

  test('does not move lines of the normal screen behind it', () => {
    const moments = [on('a', 'before\r\n'), on('a', `${enter}menu`, 10), on('a', `${leave}after\r\n`, 900)];
    expect(textOf(moments)).toBe('before\n──── screen at 0:00 ────\nmenu\n────\nafter\n');
  });

  test('that ends without leaving its screen still has it in the text', () => {
    expect(textOf([on('a', `${enter}killed here`)])).toBe('──── screen at 0:00 ────\nkilled here\n────\n');
  });
});

describe('any output', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'word ',
      'x\r\n',
      '\n',
      '\r',
      '\b',
      '\t',
      '日',
      'e\u0301',
      '😀',
      '\x1bc',
      '\x1b7',
      '\x1b8',
      '\x1bM',
    ),
    fc.constantFrom('\x1b[?1049h', '\x1b[?1049l', '\x1b[2J', '\x1b[3J', '\x1b[H', '\x1b[2;4r', '\x1b[r', '\x1b[?6h'),
    fc
      .tuple(fc.integer({ min: 0, max: 3_000_000_000 }), fc.constantFrom(...'ABCDEFGHIJKLMPSTXZ@bdfrsu'))
      .map(([count, final]) => `\x1b[${count}${final}`),
  );

  test('gives the same text, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (pieces, size) => {
        const bytes = Buffer.from(pieces.join(''));
        const cut = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          on('a', bytes.subarray(index * size, (index + 1) * size)),
        );
        expect(textOf(cut)).toBe(textOf([on('a', bytes)]));
      }),
      { numRuns: proofSize({ small: 20, full: 1000 }) },
    );
  });

  test('gives text without control characters', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.uint8Array({ maxLength: 9 })), { maxLength: 40 }), (pieces) => {
        const text = textOf(pieces.map((part, index) => on(index % 3 === 0 ? 'b' : 'a', part, index * 100)));
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
      }),
      { numRuns: proofSize({ small: 20, full: 1000 }) },
    );
  });
});
