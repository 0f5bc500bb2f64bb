import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Service, startService, whenResting } from '../support/service.ts';
import { finished, projectRoot, until } from '../support/tacho.ts';

const folder = path.join(projectRoot, 'examples');

test('follow-conversation starts a run and prints its messages, tool calls and result', async () => {
  const service = await startService();
  const { stdout, stderr, code } = await finished(start(service, 'follow-conversation.mjs', 'hello', '--pace=0'));
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^› hello\n/);
  expect(stdout).toContain('⚙ grep -n ^Total: tacho-demo-report.md  failed\n');
  expect(stdout).toContain('The report **What is in this folder** is finished');
  expect(stdout).toMatch(/\nsucceeded \(DONE_MARKER\), 1 new in its folder\n$/);
  expect(stdout).not.toMatch(/skill_done/i);
});

test('answer-question answers the agent’s question, and the run continues to its end', async () => {
  const service = await startService();
  const { stdout, stderr, code } = await finished(start(service, 'answer-question.mjs', 'Odds and ends', '--pace=0'));
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^\? .*Which title do you want\?\n› Odds and ends\n/);
  expect(stdout).toContain('The report **Odds and ends** is finished');
  expect(stdout).toMatch(/\nsucceeded in attempt 2\n$/);
  expect(stdout).not.toMatch(/skill_done/i);
});

test('watch-runs prints changes of the list', async () => {
  const service = await startService();
  const asked = await service.client.createRun({ engine: 'demo', prompt: 'x', mode: 'interactive', ...quick });
  await whenResting(service.client, asked.run_id);
  const watching = start(service, 'watch-runs.mjs');
  let printed = '';
  watching.stdout!.on('data', (bytes: Buffer) => {
    printed += bytes.toString();
  });
  await until(() => printed.includes(`${asked.run_id}  waiting_user: The report is in`));
  const { run_id } = await service.client.createRun({ command: ['true'] });
  await until(() => printed.includes(`${run_id}  succeeded  (attempt 1)`));
  await service.client.deleteRun(run_id);
  await until(() => printed.includes(`${run_id}  removed`));
});

test('every example that uses a server is run by a test', () => {
  const tests = fs.readFileSync(import.meta.filename, 'utf8');
  // Those of agents need no server: test/examples runs them.
  const programs = fs.readdirSync(folder).filter((name) => /^(?!agent-|connect).*\.mjs$/.test(name));
  expect(programs.filter((name) => !tests.includes(`'${name}'`))).toEqual([]);
});

const quick = { engine_args: ['--pace=0'] };

function start({ home }: Service, program: string, ...words: string[]): ChildProcess {
  const child = spawn(process.execPath, [path.join(folder, program), ...words], {
    env: { ...process.env, TACHO_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  return child;
}
