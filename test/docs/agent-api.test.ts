import { expect, test } from 'vitest';
import { apiSections, documentedValues } from '../../scripts/api-docs/page.ts';
import * as entry from '../../src/agent.ts';
import * as testkit from '../../src/agent-testkit.ts';
import { expectGenerated, readPage } from './page.ts';

test('the page has the exports of the agent entry points, with their signatures and comments', () => {
  expectGenerated('docs/agent-api.md', 'api', apiSections());
});

test.each([
  ['src/agent.ts', entry],
  ['src/agent-testkit.ts', testkit],
])('the generator finds every value that %s exports', (file, exported) => {
  expect(documentedValues(file).sort()).toEqual(Object.keys(exported).sort());
});

test('every export has a heading of its own', () => {
  const headings = Array.from(readPage('docs/agent-api.md').matchAll(/^### (\w+)$/gm), ([, name]) => name!);
  expect(headings.length).toBe(new Set(headings).size);
  const values = [...Object.keys(entry), ...Object.keys(testkit)];
  expect(values.filter((name) => !headings.includes(name))).toEqual([]);
});

test('no signature refers to a schema of the implementation', () => {
  expect(readPage('docs/agent-api.md')).not.toContain('z.infer<typeof');
});
