import { expect, test } from 'vitest';
import { typeOfSchema } from '../../scripts/api-docs/schema-type.ts';
import { AGENT_VERSION, agentEventDataSchemas } from '../../src/protocol/index.ts';
import { codeBlocks, expectGenerated, readPage } from './page.ts';

const PAGE = 'docs/agent-log.md';

test('the data of events matches the schemas', () => {
  const types = Object.entries(agentEventDataSchemas).map(([name, schema]) => `${name}: ${typeOfSchema(schema)}\n`);
  expectGenerated(PAGE, 'data', `\`\`\`ts\n${types.join('\n')}\`\`\`\n`);
});

test('the table of events has every type, in the order of the schemas', () => {
  const [, table] = /## Events\n\| event \| when \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(readPage(PAGE))!;
  const rows = Array.from(table!.matchAll(/^\| `(\w+)` \| \S/gm), ([, name]) => name);
  expect(rows).toEqual(Object.keys(agentEventDataSchemas));
});

test('the line on the page is one of the current version', () => {
  const { protocol_version, type, data } = JSON.parse(codeBlocks(PAGE, 'json')[0]!);
  expect(protocol_version).toBe(AGENT_VERSION);
  expect(agentEventDataSchemas[type as 'user_message'].parse(data)).toEqual(data);
});
