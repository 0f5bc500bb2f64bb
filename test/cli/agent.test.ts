import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { smallServer, toolNamed } from '../agent/mcp/servers.ts';
import { tachoCommand, temporaryFolder } from '../support/tacho.ts';
import { startTerminal } from '../terminal/run-terminal.ts';

/** A workspace, and a scripted model as a file of turns. */
function workspace(turns: readonly unknown[]) {
  const root = temporaryFolder();
  const folder = path.join(root, 'work');
  const script = path.join(root, 'script.json');
  fs.mkdirSync(folder);
  fs.writeFileSync(script, JSON.stringify(turns));
  const env = { ...process.env, TACHO_HOME: path.join(root, 'home'), NO_COLOR: '1' };
  const tacho = (...args: string[]) => {
    const { status: code, stdout, stderr } = spawnSync(tachoCommand, args, { cwd: folder, env, encoding: 'utf8' });
    return { code, stdout, stderr };
  };
  const model = ['--provider', 'scripted', '--model', script];
  const atTerminal = (...args: string[]) =>
    startTerminal([tachoCommand, ...args], {
      mode: 'merged',
      cwd: folder,
      env: { ...env, TERM: 'xterm' } as Record<string, string>,
    });
  return { root, folder, tacho, model, atTerminal };
}

const call = (name: string, args: object) => ({ type: 'call', name, arguments: args });
const WRITE = call('file_write', { path: 'hello.txt', content: 'hi' });

test('carries a task out and prints the answer alone on stdout', () => {
  const { tacho, model } = workspace([
    [{ type: 'text', text: 'Looking.' }, call('list_dir', { path: '.' })],
    'All done.',
  ]);
  const { code, stdout, stderr } = tacho('agent', ...model, 'look', 'around');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'All done.\n' });
  expect(stderr).toContain('→ list_dir');
});

test('prints events as JSON lines', () => {
  const { tacho, model } = workspace(['Hello.']);
  const { code, stdout } = tacho('agent', '--json', ...model, 'say hello');
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AgentEvent);
  expect(code).toBe(0);
  expect(events.map(({ type }) => type)).toContain('run_completed');
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
});

test('waits for a decision without a terminal, which any process can make, and continues', () => {
  const { tacho, model, folder } = workspace([WRITE, 'Written.']);
  const first = tacho('agent', ...model, 'write it');
  expect(first).toMatchObject({ code: 10, stdout: '' });
  const listed = JSON.parse(tacho('agent', 'decide', '--json').stdout);
  const { approval_id, run_id, summary } = listed.approvals[0].request;
  expect(summary).toContain('hello.txt');
  expect(fs.existsSync(path.join(folder, 'hello.txt'))).toBe(false);
  expect(tacho('agent', 'decide', approval_id, 'approve').stdout).toBe(`${approval_id}: approved\n`);
  expect(tacho('agent', 'decide', approval_id, 'deny')).toMatchObject({
    code: 0,
    stdout: `${approval_id}: approved\n`,
  });
  const resumed = tacho('agent', 'resume', ...model, run_id);
  expect(resumed).toMatchObject({ code: 0, stdout: 'Written.\n' });
  expect(fs.readFileSync(path.join(folder, 'hello.txt'), 'utf8')).toBe('hi');
  expect(tacho('agent', 'ls').stdout).toContain('completed');
  expect(tacho('agent', 'replay', run_id)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^identical: \d+ events\n$/),
  });
});

test('asks on a terminal, after it has shown what led to the question', async () => {
  const { atTerminal, model, folder } = workspace([[{ type: 'text', text: 'Let me write.' }, WRITE], 'Written.']);
  const running = atTerminal('agent', ...model, 'write it');
  await running.printed('Allow it?');
  const shown = running.text();
  expect(shown.indexOf('Let me write.')).toBeGreaterThanOrEqual(0);
  expect(shown.indexOf('Let me write.')).toBeLessThan(shown.indexOf('→ file_write'));
  expect(shown.indexOf('→ file_write')).toBeLessThan(shown.indexOf('file_write needs your approval'));
  running.terminal.write(Buffer.from('y'));
  await running.printed('Written.');
  expect(fs.readFileSync(path.join(folder, 'hello.txt'), 'utf8')).toBe('hi');
  await running.terminal.ended;
});

test('forks a run with the files it had, and compares both', () => {
  const { root, tacho, model, folder } = workspace([WRITE, 'Written.']);
  fs.mkdirSync(path.join(root, 'home'), { recursive: true });
  fs.writeFileSync(path.join(root, 'home', 'config.yaml'), 'safety:\n  write: allow\n');
  expect(tacho('agent', ...model, 'write it').code).toBe(0);
  const [run] = JSON.parse(tacho('agent', 'ls', '--json').stdout).runs;
  const into = path.join(root, 'fork');
  const forked = JSON.parse(tacho('agent', 'fork', run.run_id, '--at', '4', '--into', into, '--json').stdout);
  expect(fs.existsSync(path.join(folder, 'hello.txt'))).toBe(true);
  expect(fs.existsSync(path.join(into, 'hello.txt'))).toBe(false);
  const diff = tacho('agent', 'diff', run.run_id, forked.locator);
  expect(diff).toMatchObject({ code: 1, stdout: expect.stringContaining('4 events in common') });
  expect(tacho('agent', 'resume', '-C', into, ...model, forked.runId)).toMatchObject({ code: 0, stdout: 'Written.\n' });
  expect(fs.readFileSync(path.join(into, 'hello.txt'), 'utf8')).toBe('hi');
});

test.each<[string, string[], RegExp]>([
  ['an empty task', ['agent', ''], /the task is empty/],
  ['an unknown run', ['agent', 'resume', 'run-none'], /there is no agent run "run-none"[\s\S]*tacho agent ls/],
  ['a run without a model', ['agent', 'do it'], /models.executor is not set[\s\S]*tacho config set models.executor/],
  [
    'a wrong event',
    ['agent', 'fork', 'run-none', '--at', 'x', '--into', 'y'],
    /--at must be the number of an event, got "x"/,
  ],
  ['an unknown decision', ['agent', 'decide', 'run-none.a1', 'maybe'], /invalid decision "maybe"/],
  ['an approval that does not exist', ['agent', 'decide', 'run-none.a1', 'approve'], /there is no approval/],
])('explains %s', (_, args, message) => {
  const { tacho } = workspace([]);
  const { code, stderr } = tacho(...args);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(message);
});

test('uses the tools of MCP servers, and warns in one line of one that does not start', () => {
  const { tacho, model, root } = workspace([call('mcp__good__act', { n: 1 }), 'Acted.']);
  const { command, calls } = smallServer([toolNamed('act')]);
  const servers = { good: { command }, broken: { command: ['/no/such/program'] } };
  const rules = [{ decision: 'allow', tool: 'mcp__good__*' }];
  fs.mkdirSync(path.join(root, 'home'));
  fs.writeFileSync(path.join(root, 'home/config.yaml'), JSON.stringify({ mcp: { servers }, safety: { rules } }));
  const { code, stdout, stderr } = tacho('agent', ...model, 'act');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Acted.\n' });
  expect(calls()).toEqual(['act {"n":1}']);
  const warnings = stderr.split('\n').filter((line) => line.startsWith('!'));
  expect(warnings).toEqual([
    expect.stringMatching(/^! mcp:broken: no tools: \/no\/such\/program could not be started/),
  ]);
  const [run] = /run-\w+/.exec(stderr)!;
  expect(tacho('agent', 'replay', run).stdout).toMatch(/^identical/);
});

test('lists child agents below their parents, and counts them in the status of the runtime', () => {
  const { root, tacho, model } = workspace([
    call('spawn_agent', { task: 'Say hello.', model: '../child.json' }),
    'Spawned one.',
  ]);
  fs.writeFileSync(path.join(root, 'child.json'), JSON.stringify(['Hello.']));
  onTestFinished(() => void tacho('runtime', 'stop'));
  expect(tacho('runtime', 'status').stdout).toContain('no daemon serves');
  expect(tacho('agent', ...model, 'spawn a child')).toMatchObject({ code: 0, stdout: 'Spawned one.\n' });
  const [, parent, child] = tacho('agent', 'ls').stdout.split('\n');
  expect(parent).toMatch(/^run-[0-9a-f]{16} .* completed /);
  // It may have been done before its parent ended.
  expect(child).toMatch(new RegExp(`^ {2}${parent!.split(' ')[0]}-c[0-9a-f]{8} .* (completed|closed) `));
  expect(tacho('runtime', 'status').stdout).toMatch(/agents +0 active, 32 at most/);
  expect(tacho('runtime', 'cleanup').stdout).toBe('0 sessions ended\n');
});
