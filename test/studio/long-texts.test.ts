import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markdownBlocks } from '../../studio/model/conversation/markdown-blocks.ts';
import { firstPages, isOnePage } from '../../studio/model/text/text-pages.ts';

test('the pages of a text contain all of it, are short, and split no character', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '\n', '😀', 'x'.repeat(9000), '😀'.repeat(20_000))), (parts) => {
      const text = parts.join('');
      const pages = firstPages(text, Number.POSITIVE_INFINITY);
      expect(pages.join('')).toBe(text);
      expect(pages.every((page) => isOnePage(page) && !/[\ud800-\udbff]$/.test(page))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('only the requested number of pages is made', () => {
  const text = 'x'.repeat(1_000_000);
  expect(firstPages(text, 2).map(({ length }) => length)).toEqual([32_768, 32_768]);
});

test('the blocks of a Markdown text contain all of it', () => {
  const piece = fc.constantFrom('# a\n', '\n', '```\n', '- b\n', '  c\n', '> d\n', `${'word '.repeat(300)}\n`);
  fc.assert(
    fc.property(fc.array(piece), (parts) => {
      const text = parts.join('');
      const blocks = markdownBlocks(text).map((block) => block.text);
      expect(blocks.join('')).toBe(text);
    }),
  );
});

test('a block never ends within fenced code or before a possible list continuation', () => {
  const long = 'word '.repeat(600);
  const code = `${long}\n\n\`\`\`\none\n\n${long}\n\ntwo\n\`\`\`\n\nafter\n`;
  expect(markdownBlocks(code).map(({ text }) => text.slice(0, 5))).toEqual(['word ', '```\no', 'after']);
  expect(markdownBlocks(`- ${long}\n\n  more of it\n\n- next\n`).map(({ text }) => text.slice(0, 5))).toEqual([
    '- wor',
    '- nex',
  ]);
});

test('text that would take too long to parse as Markdown is not parsed', () => {
  expect(markdownBlocks('>'.repeat(64_000))).toMatchObject([{ plain: true }]);
  expect(markdownBlocks('['.repeat(64_000))).toMatchObject([{ plain: true }]);
  expect(markdownBlocks(`\`\`\`\n${'line\n'.repeat(4000)}\`\`\`\n`)).toMatchObject([{ plain: false }]);
});
