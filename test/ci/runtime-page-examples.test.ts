import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { command, daemonOf, startTacho } from '../acceptance/runtime/daemon.ts';
import { codeBlocks } from '../docs/page.ts';
import { finished, temporaryFolder } from '../support/tacho.ts';

const page = 'docs/terminal-runtime.md';
const run = promisify(execFile);
const TOKEN = 'the-token-of-this-example';

/** A `tacho` on PATH that is the one under test. */
function environment(): NodeJS.ProcessEnv {
  const bin = temporaryFolder();
  fs.writeFileSync(path.join(bin, 'tacho'), `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`, { mode: 0o755 });
  return { ...process.env, PATH: `${bin}:${process.env.PATH}`, TACHO_RUNTIME_TOKEN: TOKEN };
}

test('the commands on the page print the documented output', async () => {
  const { workspace, client } = daemonOf();
  await client().call('system.ping', {});
  fs.mkdirSync(path.join(workspace, 'src'));
  const id = /s-[0-9a-f]{12}/g;
  const steps = codeBlocks(page, 'console').flatMap((text) => text.split(/^\$ /m).filter(Boolean));
  for (const step of steps) {
    const [line, ...shown] = step.trimEnd().split('\n');
    const { stdout } = await run('bash', ['-c', line!], { cwd: workspace, env: environment() });
    const expected = shown.join('\n').replace('/home/you/project', fs.realpathSync(workspace));
    expect(stdout.trimEnd().replaceAll(id, 's-'), line).toBe(expected.replaceAll(id, 's-'));
  }
});

test('the program in Node gets its answer', async () => {
  const { workspace, client } = daemonOf();
  await client().call('system.ping', {});
  fs.writeFileSync(path.join(workspace, 'example.mjs'), codeBlocks(page, 'js')[1]!);
  expect((await run(process.execPath, ['example.mjs'], { cwd: workspace })).stdout).toBe('0 hi\n\n');
});

test('curl and a process over stdio get their answers', async () => {
  const workspace = temporaryFolder();
  const child = startTacho(['runtime', 'serve', '--http', '127.0.0.1:0', '--json', '--workspace', workspace], {
    env: { TACHO_RUNTIME_TOKEN: TOKEN },
  });
  onTestFinished(async () => {
    child.kill();
    await finished(child);
  });
  const [line] = await new Promise<string[]>((resolve) =>
    child.stdout!.once('data', (data) => resolve(String(data).split('\n'))),
  );
  const blocks = codeBlocks(page, 'bash');
  const curl = blocks
    .find((block) => block.startsWith('curl'))!
    .replace('http://127.0.0.1:7434', JSON.parse(line!).url);
  const streamed = await run('bash', ['-c', curl.replace('sleep 1', 'sleep 0.01')], { env: environment() });
  expect(streamed.stdout).toContain('"exit_code":0');
  expect(streamed.stdout.match(/exec\.output/g)!.length).toBeGreaterThan(0);
  const ssh = blocks.find((block) => block.includes('ssh'))!.replace('ssh build-1 ', '');
  const answered = await run('bash', ['-c', ssh], { env: environment(), cwd: workspace });
  expect(JSON.parse(answered.stdout)).toMatchObject({ id: 1, result: { exit_code: 0 } });
});
