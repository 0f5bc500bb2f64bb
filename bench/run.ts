import { fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { BenchResult } from './support/bench.ts';
import { performancePage, rowCells } from './support/page.ts';

/** `npm run bench [-- word…]`: every script of this folder, or those whose file name contains one of the words. */
const words = process.argv.slice(2);
const page = path.join(path.dirname(import.meta.dirname), 'docs', 'performance.md');
const scripts = fs
  .readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts' && file !== 'row.ts')
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (scripts.length === 0) fail(`no script in bench/ has a name with: ${words.join(', ')}`);

const results: BenchResult[] = [];
const failed: string[] = [];
for (const [index, script] of scripts.entries()) {
  process.stderr.write(`${index + 1}/${scripts.length} ${script} …\n`);
  const start = performance.now();
  const result = await runAlone(script);
  process.stderr.write(`  ${result ? 'done' : 'FAILED'} in ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
  if (result) results.push(result);
  else failed.push(script);
}
process.stdout.write(textTable(results, failed));
if (failed.length > 0) process.exitCode = 1;
else if (words.length === 0) {
  fs.writeFileSync(page, performancePage(results, new Date()));
  process.stderr.write('wrote docs/performance.md\n');
}

/** In a separate process, so that one script cannot affect the next; null when it failed. */
function runAlone(script: string): Promise<BenchResult | null> {
  return new Promise((resolve) => {
    let result: BenchResult | null = null;
    const child = fork(new URL('./support/run-one.ts', import.meta.url), [path.join(import.meta.dirname, script)], {
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    child.once('message', (message) => {
      result = message as BenchResult;
    });
    child.once('error', () => resolve(null));
    child.once('exit', (code) => resolve(code === 0 ? result : null));
  });
}

function textTable(results: readonly BenchResult[], failed: readonly string[]): string {
  const cells = [['what', 'ours', 'peer', 'ratio', 'goal', 'met']];
  for (const row of results.flatMap(({ rows }) => rows)) cells.push(rowCells(row));
  for (const script of failed) cells.push([script, 'FAILED', '–', '–', '–', 'no']);
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    `${row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()}\n`;
  return cells.map(line).join('');
}

function fail(message: string): never {
  process.stderr.write(`bench: ${message}\n`);
  process.exit(1);
}
