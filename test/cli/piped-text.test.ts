import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readPipedText } from '../../src/cli/run/piped-text.ts';

test('reads a pipe to its end, including characters split over two chunks', async () => {
  const [first, second] = [Buffer.from('a ü').subarray(0, 3), Buffer.from('a ü').subarray(3)];
  expect(await readPipedText({ required: true, stdin: Readable.from([first, second]) })).toBe('a ü');
});

test('reads nothing at a terminal', async () => {
  const stdin = Object.assign(Readable.from([Buffer.from('typed')]), { isTTY: true });
  expect(await readPipedText({ required: true, stdin })).toBe('');
});

test('stops waiting for an empty pipe, unless the prompt must come from it', async () => {
  const silent = new PassThrough();
  expect(await readPipedText({ required: false, quiet: true, stdin: silent, timeoutMs: 1 })).toBe('');
  expect(silent.destroyed).toBe(true);
  const late = new PassThrough();
  const reading = readPipedText({ required: true, stdin: late, timeoutMs: 0 });
  setTimeout(() => late.end('late'), 20);
  expect(await reading).toBe('late');
});

test('refuses more than fits into a prompt', async () => {
  const stdin = Readable.from([Buffer.alloc(100_000, 'x'), Buffer.alloc(100_000, 'x')]);
  await expect(readPipedText({ required: false, stdin })).rejects.toMatchObject({ code: 'PROMPT_TOO_LONG' });
});
