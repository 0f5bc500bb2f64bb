import { expect, it } from 'vitest';
import { codeSpan, fenced, htmlText, safeMarkdown } from '../../src/record/transcript/safe-markdown.ts';

it('keeps ordinary Markdown unchanged', () => {
  const text =
    'A **word**, `a <b>` and [a link](https://example.com).\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |';
  expect(safeMarkdown(text)).toBe(text);
});

it('closes an unclosed code block, with a fence that its content cannot close', () => {
  expect(safeMarkdown('See:\n~~~ts title\nlet a = `</details>`;\n```\n')).toBe(
    'See:\n\n````ts\nlet a = `</details>`;\n```\n````',
  );
});

it('moves a code block out of a list, so that its end is unambiguous', () => {
  expect(safeMarkdown('- first:\n  ```sh\n  ls\n  ```\n- second')).toBe('- first:\n\n```sh\nls\n```\n\n- second');
  expect(safeMarkdown('- ```sh\n  ls\n  ```\nend')).toBe('```sh\n  ls\n```\n\nend');
});

it('lowers headings and escapes HTML and pictures outside of code', () => {
  expect(safeMarkdown('# Title\n\nUser\n---\n<b> ![x](y) 1 < 2 `![x]`')).toBe(
    '### Title\n\nUser\n\\---\n&lt;b> &#33;[x](y) 1 < 2 `![x]`',
  );
  expect(safeMarkdown('a ` b\n`<b>`')).toBe('a ` b\n`&lt;b>`');
});

it('uses a fence and a span longer than any inside', () => {
  expect(fenced('a\n````\n', '')).toBe('`````\na\n````\n`````');
  expect(codeSpan('a `b`\nc')).toBe('`` a `b` c ``');
  expect(htmlText('<b> &\n x')).toBe('&lt;b&gt; &amp; x');
});
