import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../support/tacho.ts';

describe('`npm run bench` prints the table with ratios; the goals of numbers.md for these rows are met or the note says by how much not and why.', () => {
  test('a row is measured beside its peer and printed with its ratio and goal', { timeout: 300_000 }, () => {
    const result = spawnSync('npm', ['run', '--silent', 'bench', '--', 'start-up'], {
      cwd: projectRoot,
      encoding: 'utf8',
    });
    expect({ status: result.status, stderr: result.stderr.slice(-1000) }).toMatchObject({ status: 0 });
    const row = result.stdout.split('\n').find((line) => line.includes('tacho --version'));
    expect(row).toMatch(/\d+(\.\d+)? ms.*\d+(\.\d+)? ms.*\d+\.\d+×.*≤ 2×/);
  });

  test('every row of the page has its script, and every script its row', async () => {
    const page = fs.readFileSync(path.join(projectRoot, 'docs/performance.md'), 'utf8');
    const scripts = fs.readdirSync(path.join(projectRoot, 'bench')).filter((name) => name.endsWith('.ts'));
    const benches = scripts.filter((name) =>
      fs.readFileSync(path.join(projectRoot, 'bench', name), 'utf8').includes('export const goal'),
    );
    expect(benches.length).toBeGreaterThanOrEqual(8);
    for (const name of benches) expect(page, name).toContain(`bench/${name}`);
  });
});
