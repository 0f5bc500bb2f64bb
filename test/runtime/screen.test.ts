import headless from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openScreen } from '../../src/runtime/open-screen.ts';
import { drawScreen } from '../../src/terminal/index.ts';
import { serveRuntime } from './serve.ts';

const SIZE = { cols: 20, rows: 6 };
const screenWith = (text: string) => {
  const screen = openScreen({ ...SIZE, bareLineFeeds: false });
  screen.write(Buffer.from(text));
  return screen;
};

describe('the screen as text', () => {
  test.each([
    ['lines without trailing blanks', 'one  \r\n\r\n  two', ['one', '', '  two'], { row: 2, col: 5 }],
    ['characters of any width as one each', '日本 é\u0301e', ['日本 é\u0301e'], { row: 0, col: 7 }],
    ['text without colours and styles', '\x1b[1;31mred\x1b[0m \x1b[7mback\x1b[0m', ['red back'], { row: 0, col: 8 }],
    ['no concealed text', 'a\x1b[8msecret\x1b[0mb', ['a      b'], { row: 0, col: 8 }],
    ['a long line over two rows', 'x'.repeat(25), ['x'.repeat(20), 'xxxxx'], { row: 1, col: 5 }],
    ['a full row, with the cursor on its last character', 'y'.repeat(20), ['y'.repeat(20)], { row: 0, col: 19 }],
    ['the rest of scrolled output', 'l\r\n'.repeat(9), ['l', 'l', 'l', 'l', 'l'], { row: 5, col: 0 }],
  ])('shows %s', async (_title, text, lines, cursor) => {
    const picture = await screenWith(text).picture();
    expect(picture.lines).toHaveLength(SIZE.rows);
    expect(picture.lines.join('\n').trimEnd()).toBe(lines.join('\n'));
    expect(picture).toMatchObject({ ...SIZE, cursor, alternate: false });
  });

  test('includes everything written before the request, and nothing later', async () => {
    const screen = screenWith('before');
    const picture = screen.picture();
    screen.write(Buffer.from('\x1b[2J\x1b[?1049hafter'));
    expect(await picture).toMatchObject({ lines: ['before', '', '', '', '', ''], alternate: false });
    expect((await screen.picture()).alternate).toBe(true);
  });
});

describe('a program cannot block the runtime with its output', () => {
  test('limited counts of lines and characters have the same effect as unlimited ones', async () => {
    const count = fc.integer({ min: 0, max: 60 });
    const piece = fc.oneof(
      fc.constantFrom('abc', 'x\r\n', '\t', '日', '\x1b[2;5r', '\x1b[r', '\x1b[?1049h', '\x1b[?1049l'),
      fc.tuple(count, fc.constantFrom(...'LMSTPX@IZbAB')).map(([times, final]) => `\x1b[${times}${final}`),
      fc.tuple(count, count).map(([row, col]) => `\x1b[${row};${col}H`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 25 }), async (pieces) => {
        const plain = new headless.Terminal({ ...SIZE, scrollback: 0, allowProposedApi: true });
        await new Promise<void>((done) => plain.write(pieces.join(''), done));
        expect(await screenWith(pieces.join('')).snapshot()).toBe(drawScreen(plain));
      }),
      { numRuns: 100 },
    );
  });

  // One by one they would exceed the test's timeout.
  test.each([...'LMSTPX@IZb'])('two thousand million times CSI %s is done at once', async (final) => {
    const { lines } = await screenWith(`abc\x1b[2147483647${final}\x1b[4;1Hafter`).picture();
    expect(lines[3]!.startsWith('after')).toBe(true);
  });

  test('a screen that falls behind skips output, is correct at the end, and does not block others', async () => {
    const screen = openScreen({ cols: 80, rows: 24, bareLineFeeds: false });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const heavy = Buffer.from('\x1b[9L'.repeat(10_000));
    for (let times = 0; times < 200; times++) screen.write(heavy);
    const picture = screen.picture();
    screen.write(Buffer.from(`${'line\r\n'.repeat(60_000)}the end`));
    await picture;
    const { lines } = await screen.picture();
    clearInterval(timer);
    expect(lines.slice(-2)).toEqual(['line', 'the end']);
    expect(turns).toBeGreaterThan(5);
  });

  test('a screen that is too large is refused, and the existing one is kept', async () => {
    const { client } = await serveRuntime();
    const refused = { code: 'INVALID_PARAMS', message: expect.stringContaining('too large') };
    const create = (cols: number, rows: number) =>
      client.call('session.create', { kind: 'pty', argv: ['cat'], cols, rows });
    await expect(create(65_535, 65_535)).rejects.toMatchObject(refused);
    const { session_id } = await create(500, 500);
    await expect(client.call('session.resize', { session_id, cols: 501, rows: 500 })).rejects.toMatchObject(refused);
    expect(await client.call('session.info', { session_id })).toMatchObject({ cols: 500, rows: 500 });
    expect(await client.call('session.screen', { session_id })).toMatchObject({ cols: 500, rows: 500 });
    expect((await client.call('session.list', {})).sessions).toHaveLength(1);
  });
});

describe('session.screen', () => {
  test('waits for a text or for a quiet screen, and reports whether that happened', async () => {
    const { client } = await serveRuntime();
    const argv = [
      'bash',
      '-c',
      'stty -echo; printf ready; read line; printf " got %s" "$line"; read line; echo " end"',
    ];
    const { session_id } = await client.call('session.create', { kind: 'pty', argv });
    const look = (params: object) => client.call('session.screen', { session_id, ...params });
    expect(await look({ wait_for: 'ready', wait_ms: 20_000 })).toMatchObject({
      settled: true,
      cursor: { row: 0, col: 5 },
    });
    expect(await look({ wait_for: 'got', wait_ms: 40 })).toMatchObject({ settled: false });
    const waiting = look({ wait_for: 'got it', wait_ms: 20_000 });
    await client.call('session.write', { session_id, data: 'it\r' });
    expect(await waiting).toMatchObject({ settled: true, cursor: { row: 0, col: 12 } });
    expect(await look({ wait_ms: 20_000, quiet_ms: 20 })).toMatchObject({ settled: true });
    expect(await look({ wait_ms: 10, quiet_ms: 10_000 })).toMatchObject({ settled: false });
    await client.call('session.write', { session_id, data: '\r' });
    // The end of the session ends every wait.
    const last = await look({ wait_for: 'never', wait_ms: 60_000 });
    expect(last).toMatchObject({ settled: false });
    expect(last.lines[0]).toBe('ready got it end');
    expect(await look({ wait_ms: 60_000, quiet_ms: 60_000 })).toMatchObject({ settled: true });
  });

  test('reading the screen counts as use of a session', async () => {
    const { client } = await serveRuntime();
    const { session_id } = await client.call('session.create', { kind: 'pty', argv: ['cat'], idle_ms: 1000 });
    const begun = performance.now();
    await client.call('session.screen', { session_id, wait_for: 'never', wait_ms: 1800 });
    // If the session had ended, the wait would have ended too.
    expect(performance.now() - begun).toBeGreaterThan(1790);
    await expect.poll(async () => (await client.call('session.info', { session_id })).end?.reason).toBe('idle');
  });
});
