import { expect, test } from 'vitest';
import { BytePages } from '../../studio/source/byte-pages.ts';

const PAGE = 256 * 1024;

function stream(size: number) {
  const asked: { from: number; to: number }[] = [];
  const bytes = Uint8Array.from({ length: 4 * PAGE }, (_, n) => n % 251);
  const there = { size };
  const pages = new BytePages(async (window) => {
    asked.push(window);
    return {
      bytes: bytes.subarray(window.from, Math.min(window.to, there.size)),
      from: window.from,
      total: there.size,
    };
  });
  return { asked, bytes, pages, there };
}

test('a range is read in pages, each once', async () => {
  const { asked, bytes, pages } = stream(4 * PAGE);
  expect(await pages.read(PAGE - 10, PAGE + 10)).toEqual(bytes.subarray(PAGE - 10, PAGE + 10));
  expect(await pages.read(5, 20)).toEqual(bytes.subarray(5, 20));
  expect(asked.map(({ from }) => from)).toEqual([0, PAGE]);
});

test('a stream that has grown is read from its previous end', async () => {
  const { asked, bytes, pages, there } = stream(100);
  expect(await pages.read(0, 500)).toEqual(bytes.subarray(0, 100));
  there.size = 300;
  expect(await pages.read(50, 300)).toEqual(bytes.subarray(50, 300));
  expect(asked.map(({ from }) => from)).toContain(100);
});

test('beyond the end there are no bytes', async () => {
  const { pages } = stream(100);
  expect(await pages.read(200, 300)).toHaveLength(0);
});

test('a failed page is requested again', async () => {
  let fails = true;
  const pages = new BytePages(async ({ from }) => {
    if (fails) throw new Error('gone');
    return { bytes: Uint8Array.of(1, 2, 3), from, total: 3 };
  });
  await expect(pages.read(0, 3)).rejects.toThrow('gone');
  fails = false;
  expect(await pages.read(0, 3)).toEqual(Uint8Array.of(1, 2, 3));
});
