import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks } from '../docs/page.ts';
import { projectRoot, temporaryFolder } from '../support/tacho.ts';
import { normalise, pattern, readExamples } from './console.ts';

/** Shown in the pages in place of the user's data folder. */
const SHOWN_HOME = '/home/you/.tacho';
/** Shown in place of the working folder. */
const SHOWN_PROJECT = '/home/you/project';

const PAGES = [
  'README.md',
  'docs/cli.md',
  'docs/completion.md',
  'docs/conversation.md',
  'docs/demo.md',
  'docs/engines.md',
  'docs/errors.md',
  'docs/events.md',
  'docs/integrity.md',
];

/** The `codex.log` of the pages: the output of codex with the demo model. */
const CODEX_LOG = path.join(projectRoot, 'test/fixtures/codex/live-codex-tool/stdout.log');

test.each(PAGES)('the examples in %s work as printed', { timeout: 120_000 }, async (page) => {
  const examples = codeBlocks(page, 'console').flatMap(readExamples);
  expect(examples.length).toBeGreaterThan(0);
  const home = path.join(temporaryFolder(), 'data');
  const cwd = temporaryFolder();
  fs.copyFileSync(CODEX_LOG, path.join(cwd, 'codex.log'));
  // Pages that only read runs need an existing run.
  if (!examples.some(({ command }) => command.includes('tacho run '))) run('tacho run -- echo hello', home, cwd);
  for (const { command, output } of examples) {
    if (/^tacho (run|import) /.test(command)) await nextSecond();
    const result = run(command, home, cwd);
    if (output === '') expect(result.status, `${command}\n${result.output}`).toBe(0);
    else expect(normalise(result.output), command).toMatch(pattern(output));
  }
});

function run(command: string, home: string, cwd: string): { status: number | null; output: string } {
  const result = spawnSync('bash', ['-c', `exec 2>&1; ${command}`], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${projectRoot}/bin:${process.env.PATH}`, TACHO_HOME: home, NO_COLOR: '1' },
  });
  return { status: result.status, output: result.stdout.replaceAll(home, SHOWN_HOME).replaceAll(cwd, SHOWN_PROJECT) };
}

/** Runs of the same second have no order in their names, so `last` would be ambiguous. */
function nextSecond(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)));
}
