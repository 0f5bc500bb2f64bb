import pico from 'picocolors';
import { expect, test } from 'vitest';
import { collectLines } from '../../../src/cli/chat/line-sink.ts';
import { createMarkdown } from '../../../src/cli/chat/markdown.ts';

const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
const cyan = (text: string) => `\u001b[36m${text}\u001b[39m`;

function render(pieces: string | readonly string[], { columns = 30, colors = false, indent = 0 } = {}): string[] {
  const sink = collectLines();
  const markdown = createMarkdown({ sink, columns: () => columns, colors: pico.createColors(colors), indent });
  for (const piece of [pieces].flat()) markdown.push(piece);
  markdown.flush();
  return sink.lines;
}

test('text is wrapped between words, and keeps its line endings', () => {
  expect(render('The quick brown fox jumps over the lazy dog.\nNext line.')).toEqual([
    'The quick brown fox jumps over',
    'the lazy dog.',
    'Next line.',
  ]);
});

test('wide characters count twice, and lines may break between them, but not before closing punctuation', () => {
  expect(render('日本語のテキストは単語の間に空白がありません。', { columns: 20 })).toEqual([
    '日本語のテキストは単',
    '語の間に空白がありま',
    'せん。',
  ]);
  expect(render('いろはにほへとちりぬ。', { columns: 20 })).toEqual(['いろはにほへとちり', 'ぬ。']);
  expect(render('一二三四五六七八「九十」', { columns: 18 })).toEqual(['一二三四五六七八', '「九十」']);
});

test('a word longer than the line is cut at the edge', () => {
  expect(render(`see ${'x'.repeat(50)} there`)).toEqual(['see', 'x'.repeat(30), `${'x'.repeat(20)} there`]);
});

test('lists and quotes are kept; their continuation lines are indented to their text', () => {
  expect(
    render(
      '- first item that is too long for it\n  - nested item, also long enough\n10. ten\n> a quote that goes on and on',
    ),
  ).toEqual([
    '- first item that is too long',
    '  for it',
    '  - nested item, also long',
    '    enough',
    '10. ten',
    '> a quote that goes on and on',
  ]);
});

test('blank lines appear only between lines, and never twice in a row', () => {
  expect(render('\n\n one\n\n\n\ntwo\n\n')).toEqual([' one', '', 'two']);
});

test('without colours Markdown is unchanged', () => {
  const source = ['# Title', 'with `code` and **force**', '```js', 'a()', '```', '2 ** 3 and **/*.ts'];
  expect(render(source.join('\n'))).toEqual(source);
});

test('with colours headings and strong words are bold, code is coloured, and their markup is removed', () => {
  expect(render('## A title\nwith `some code` and **force**!', { colors: true })).toEqual([
    `${bold('A')} ${bold('title')}`,
    `with ${cyan('some')} ${cyan('code')} and ${bold('force')}!`,
  ]);
});

test('unclosed markup is printed literally', () => {
  const source = ['2 ** 3 and **/*.ts', 'a ` tick', '**open', 'end *'];
  expect(render(source.join('\n'), { colors: true })).toEqual(source);
});

test('code in a fence is indented and never wrapped', () => {
  const code = `const long = '${'x'.repeat(40)}';`;
  expect(render(`Run:\n\`\`\`js\n${code}\n\n\tdone();\n\`\`\`\nThen go.`, { colors: true })).toEqual([
    'Run:',
    `  ${cyan(code)}`,
    `  ${cyan('')}`,
    `  ${cyan('    done();')}`,
    'Then go.',
  ]);
});

test('a fence within a fence is code, and an unclosed fence extends to the end', () => {
  expect(render('````md\n```js\na\n```\n````\nb')).toEqual(['````md', '```js', 'a', '```', '````', 'b']);
  expect(render('```\na **b**')).toEqual(['```', 'a **b**']);
});

test('no text can control the terminal', () => {
  expect(render('a\u001b[2Jb \u001b]0;title\u0007c \u0007d\u202ee \u009b2J')).toEqual(['ab c ␇d\ufffde \ufffd2J']);
});

test('text of a sub-agent is indented', () => {
  expect(render('- one two three four five six seven\n\n```\ncode\n```', { indent: 4, columns: 24 })).toEqual([
    '    - one two three four',
    '      five six seven',
    '',
    '    ```',
    '    code',
    '    ```',
  ]);
});

test('a deep list leaves room for its text', () => {
  const lines = render(`${' '.repeat(40)}- a few words`, { columns: 20 });
  expect(lines).toEqual(['- a few words']);
});

test('text that cannot change any more is shown at once', () => {
  const shown: string[] = [];
  const markdown = createMarkdown({
    sink: { append: (text) => void shown.push(text), endLine: () => void shown.push('\n') },
    columns: () => 80,
    colors: pico.createColors(true),
    indent: 0,
  });
  const after = (piece: string) => {
    markdown.push(piece);
    return shown.join('');
  };
  expect(after('Hello wor')).toBe('Hello');
  expect(after('ld, this is `co')).toBe('Hello world, this is');
  expect(after('de` he')).toBe(`Hello world, this is ${cyan('code')}`);
  expect(after('re\n日本語です')).toBe(`Hello world, this is ${cyan('code')} here\n日本`);
});
