import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCodexParser } from '../../src/engines/codex/parser.ts';
import { printedText } from '../../src/engines/json/printed-text.ts';
import { printedIn } from '../../src/protocol/index.ts';
import { parserContext, readLogs } from './read-log.ts';

const long = (text: string) => text.repeat(Math.ceil(4096 / Math.max(1, text.length)));
const OUTPUT = long('a "quoted" word, a \\ and \n, 日本, \u001b[31mred\u001b[0m\r\n');

describe('the JSON of a long text', () => {
  test('is the part of the line that it was read from', () => {
    const line = `{"type":"x","item":{"output":${JSON.stringify(OUTPUT)},"exit_code":0}}\n`;
    expect(printedText(line, 'output', OUTPUT)).toBe(JSON.stringify(OUTPUT));
  });

  test('keeps the spelling of the engine', () => {
    const json = `"${long('a\\/b \\u00e9 \\u001B ')}"`;
    expect(printedText(`{"output":${json}}`, 'output', JSON.parse(json))).toBe(json);
  });

  test('is found beside members and texts of the same name that cannot be it', () => {
    const json = JSON.stringify(OUTPUT);
    const line = `{"output":[{"type":"output","x\\"output":"no","output":${json}},{"output":3}]}`;
    expect(printedText(line, 'output', OUTPUT)).toBe(json);
  });

  test.each([
    ['a short text', JSON.stringify({ output: 'short' }), 'short'],
    ['two members of the name', JSON.stringify({ a: { output: 'no' }, b: { output: OUTPUT } }), OUTPUT],
    ['the same member twice', `{"output":${JSON.stringify(OUTPUT)},"output":"no"}`, 'no'],
    ['a blank before the colon', `{"a":{"output":"no"},"b":{"output" :${JSON.stringify(OUTPUT)}}}`, OUTPUT],
    ['a blank after the colon', `{"a":{"output": ${JSON.stringify(OUTPUT)}},"b":{"output":"no"}}`, OUTPUT],
    ['a name that is spelled with an escape', `{"outpu\\u0074":${JSON.stringify(OUTPUT)},"output":"no"}`, OUTPUT],
    ['something else than a text', JSON.stringify({ output: [OUTPUT] }), [OUTPUT]],
  ])('is not looked for in a line with %s', (_what, line, text) => {
    expect(printedText(line, 'output', text)).toBeNull();
  });

  test('is never that of another text, whatever the line', () => {
    const word = fc.constantFrom('"', '\\', 'output', '"output":"', '\\u0074', 'a', '\n', ' ', 'é', '{', ':');
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(''));
    const value: fc.Arbitrary<unknown> = fc.oneof(text, text.map(long), fc.integer(), fc.constant(null));
    const name = fc.constantFrom('output', 'x"output', 'a', 'b');
    const object = fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value, { maxKeys: 3 })), { maxKeys: 4 });
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1), (line, blanks) => {
        const json = JSON.stringify(line, null, blanks);
        for (const inner of [line, ...Object.values(line)]) {
          const wanted = (inner as { output?: unknown } | null)?.output;
          const printed = printedText(json, 'output', wanted);
          if (printed !== null) expect(JSON.parse(printed)).toBe(wanted);
        }
      }),
    );
  });
});

test('the result of a command keeps its JSON, and is the text all the same', () => {
  const item = { id: 'item_1', type: 'command_execution', command: 'ls', exit_code: 0, status: 'completed' };
  const line = { type: 'item.completed', item: { ...item, aggregated_output: OUTPUT } };
  const drafts = readLogs(createCodexParser(parserContext('codex')), { stdout: `${JSON.stringify(line)}\n` });
  const { data } = drafts.find(({ event }) => event.type === 'tool.call.completed')!;
  expect(printedIn(data)).toEqual({ member: 'result', json: JSON.stringify(OUTPUT) });
  expect(data).toEqual({
    call_id: '1.item_1',
    name: 'command_execution',
    kind: 'command',
    arguments: { command: 'ls' },
    result: OUTPUT,
    exit_code: 0,
  });
  expect(printedIn({ ...data })).toBeUndefined();
});
