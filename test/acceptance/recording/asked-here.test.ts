import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { sandbox, tachoCommand } from '../../support/tacho.ts';
import { atTerminal, type RunningTerminal } from '../../terminal/run-terminal.ts';

function startDemo(prompt: string, env: Record<string, string> = {}) {
  const box = sandbox();
  const demo = ['run', 'demo', '--scratch', '--mode', 'interactive', '--engine-arg=--pace=0', '--', prompt];
  const running = atTerminal([process.execPath, tachoCommand, ...demo], box.home, env);
  const record = () =>
    JSON.parse(fs.readFileSync(path.join(box.home, 'runs', box.runIds()[0]!, '.run.json'), 'utf8')) as RunRecord;
  return { box, running, record };
}

const type = (running: RunningTerminal, keys: string) => running.terminal.write(Buffer.from(keys));
const textOf = (running: RunningTerminal) => running.output('a').toString();
const countOf = (text: string, words: string) => text.split(words).length - 1;
/** The modes of the terminal before and after the command. */
const modesOf = (text: string) => text.match(/^[0-9a-f:]{20,}\r?$/gm) ?? [];

test('a question is asked at the terminal, and the answer starts the next attempt', async () => {
  const { running, record } = startDemo('hello');
  await running.printed('Type your answer.');
  type(running, '\rAll there is\r');
  await running.printed('code 0');
  await running.terminal.ended;
  const text = textOf(running);
  expect(record()).toMatchObject({ status: 'succeeded', attempt: 2, live: null });
  expect(text).toContain('✔ succeeded');
  expect(countOf(text, '› hello')).toBe(1);
  // The echo of typed text moves the cursor first; a message would be printed in one piece.
  expect(text).not.toContain('› All there is');
  expect(text).not.toMatch(/tacho resume|waiting for your answer|__SKILL_DONE__/);
  expect(new Set(modesOf(text)).size).toBe(1);
});

test.each([
  ['Ctrl-D', '\x04', 'xterm'],
  ['Ctrl-C', '\x03', 'xterm'],
  ['Ctrl-C', '\x03', 'dumb'],
])('%s leaves the run waiting and says how to answer later', async (_name, key, TERM) => {
  const { running, record } = startDemo('hello', { TERM });
  await running.printed('Type your answer.');
  type(running, key);
  await running.printed('code 10');
  await running.terminal.ended;
  const text = textOf(running);
  expect(record()).toMatchObject({ status: 'waiting_user', attempt: 1, live: null });
  expect(countOf(text, `tacho resume ${record().handle} "your answer"`)).toBe(1);
  expect(text.includes('\u001b')).toBe(TERM !== 'dumb');
  expect(new Set(modesOf(text)).size).toBe(1);
});

test('an approval is requested at the terminal until the answer is yes or no', async () => {
  const { box, running, record } = startDemo('approve');
  await running.printed('Allow it? (y/n) ');
  type(running, 'perhaps\ry\r');
  await running.printed('code 0');
  await running.terminal.ended;
  expect(record()).toMatchObject({ status: 'succeeded', attempt: 1 });
  expect(textOf(running)).toMatch(/\? approval needed: [\s\S]*✔ approved: /);
  const folder = path.join(box.home, 'approvals');
  const decision = fs.readdirSync(folder).find((name) => name.endsWith('.decision.json'))!;
  expect(JSON.parse(fs.readFileSync(path.join(folder, decision), 'utf8'))).toMatchObject({ status: 'approved' });
});
