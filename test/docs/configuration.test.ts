import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeConfig, explainConfig, loadConfig } from '../../src/config/index.ts';
import { failure, loadYaml, workspace } from '../config/workspace.ts';

const page = join(import.meta.dirname, '../../docs/configuration.md');
const TABLE = /(<!-- keys:begin.*-->\n)([\s\S]*)(<!-- keys:end -->)/;

test('the table of keys matches describeConfig', () => {
  if (process.env.UPDATE_DOCS === '1') {
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replace(TABLE, (_, begin, __, end) => `${begin}${table()}${end}`),
    );
  }
  expect(TABLE.exec(readFileSync(page, 'utf8'))?.[2]).toBe(table());
});

test('the examples print the documented output', () => {
  const text = readFileSync(page, 'utf8');
  const yaml = /```yaml\n# config\/tacho\.yaml\n([\s\S]*?)```/.exec(text)![1]!;
  const loaded = loadConfig({
    workspaceRoot: workspace({ 'config/tacho.yaml': `# config/tacho.yaml\n${yaml}` }),
    env: {},
    session: { name: '--timeout', settings: { limits: { timeout_ms: '5m' } } },
  });
  const explained = /\$ tacho config explain limits\.timeout_ms\n([\s\S]*?)```/.exec(text)![1]!;
  expect(explainConfig(loaded, 'limits.timeout_ms')).toEqual(explained.trimEnd().split('\n'));
  expect(text).toContain(failure(() => loadYaml('recording:\n  levle: full\n')).message);
});

test('the example for agents is valid', () => {
  const text = readFileSync(page, 'utf8');
  const yaml = /```yaml\n# ~\/\.tacho\/config\.yaml\n([\s\S]*?)```/.exec(text)![1]!;
  const loaded = loadConfig({ workspaceRoot: workspace(), env: {}, dataFolder: workspace({ 'config.yaml': yaml }) });
  expect(loaded.config.models.prices['claude-large']).toEqual({ input: 3, cached_input: 0.3, output: 15 });
  expect(loaded.rules.map(({ rule, level }) => [rule.decision, level])).toEqual([
    ['allow', 'user'],
    ['deny', 'user'],
  ]);
});

function table(): string {
  const rows = describeConfig().map((row) => {
    const cells = [`\`${row.path}\``, row.type, `\`${row.default}\``, row.untrusted, row.description];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  });
  return `| key | type | default | [untrusted](#trust) | |\n|---|---|---|---|---|\n${rows.join('')}`;
}
