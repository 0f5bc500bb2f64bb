import fs from 'node:fs';
import { expect, test } from 'vitest';
import { createTableSql } from '../../src/skills/index.ts';
import { loadYaml } from '../config/workspace.ts';

const page = fs.readFileSync('docs/skills.md', 'utf8');

function block(language: string): string {
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(page)![1]!;
}

test('the table of PostgreSQL on the page is the one that is made', () => {
  expect(block('sql')).toBe(createTableSql({}));
});

test('the example configuration on the page is valid', () => {
  expect(loadYaml(block('yaml')).config.skills.sources).toHaveLength(4);
});
