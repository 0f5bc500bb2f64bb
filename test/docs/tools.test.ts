import { expect, test } from 'vitest';
import { toolErrorKindSchema } from '../../src/protocol/index.ts';
import { builtinTools } from '../../src/tools/index.ts';
import { expectGenerated, markdownTable, readPage } from './page.ts';

test('the table of built-in tools matches the code', () => {
  const rows = builtinTools({ skills: true, runtime: true }).map((tool) => {
    const { properties = {}, required = [] } = tool.parameters as { properties?: object; required?: string[] };
    const names = Object.keys(properties).map((name) => `\`${name}${required.includes(name) ? '' : '?'}\``);
    const [summary] = tool.description.split(/(?<=[.])\s/);
    return [`\`${tool.name}\``, names.join(', '), tool.concurrency, tool.hasEffects ? 'yes' : 'no', summary!];
  });
  const head = ['tool', 'arguments', 'concurrency', 'effects', 'what it does'];
  expectGenerated('docs/tools.md', 'builtin', markdownTable(head, rows));
});

test('the page names every kind of error', () => {
  const page = readPage('docs/tools.md');
  expect(toolErrorKindSchema.options.filter((kind) => !page.includes(`\`${kind}\``))).toEqual([]);
});
