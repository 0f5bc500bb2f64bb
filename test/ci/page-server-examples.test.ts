import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks } from '../docs/page.ts';
import { startService } from '../support/service.ts';
import { finished, projectRoot, temporaryFolder } from '../support/tacho.ts';
import { normalise, pattern, readExamples } from './console.ts';

/** The default address of a server, as shown in the pages. */
const SHOWN_URL = 'http://127.0.0.1:7433';
const SHOWN_HOME = '/home/you';

/** Pages with `console server` blocks, whose commands need a server. */
const PAGES = ['README.md', 'docs/http-api.md', 'docs/service.md'];

test.each(PAGES)('the examples in %s work as printed while a server runs', { timeout: 120_000 }, async (page) => {
  const examples = codeBlocks(page, 'console server').flatMap(readExamples);
  expect(examples.length).toBeGreaterThan(0);
  const home = temporaryFolder();
  fs.mkdirSync(path.join(home, '.tacho'));
  const { url } = await startService({ home: path.join(home, '.tacho') });
  const results = await session(
    examples.map(({ command }) => command.replaceAll(SHOWN_URL, url)),
    home,
  );
  for (const [index, { command, output }] of examples.entries()) {
    const { status, printed } = results[index]!;
    // JSON has no newline at its end, but a page shows the next prompt on a new line.
    const shown = printed
      .replaceAll(url, SHOWN_URL)
      .replaceAll(home, SHOWN_HOME)
      .replace(/(?<!\n)$/, '\n');
    if (output === '') expect(status, `${command}\n${shown}`).toBe('0');
    else expect(normalise(shown), command).toMatch(pattern(output));
  }
});

/** All commands in one shell, so that a command can use variables of an earlier one. */
async function session(commands: readonly string[], home: string): Promise<{ status: string; printed: string }[]> {
  const script = commands.map((command) => `${command}\nprintf '\\036%s\\036' $?\n`).join('');
  const { TACHO_HOME: _, ...env } = process.env;
  const { stdout } = await finished(
    spawn('bash', ['-c', `exec 2>&1\n${script}`], {
      cwd: home,
      env: { ...env, HOME: home, PATH: `${projectRoot}/bin:${process.env.PATH}`, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const parts = stdout.split('\u001e');
  return commands.map((_, index) => ({ printed: parts[2 * index] ?? '', status: parts[2 * index + 1] ?? '' }));
}
