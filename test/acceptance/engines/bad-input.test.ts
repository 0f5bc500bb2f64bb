import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { codex } from '../../../src/engines/codex/profile.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { type Sandbox, sandbox } from '../../support/tacho.ts';

interface Refusal {
  error: { code: string; message: string; fix: string; details: Record<string, unknown> };
}

/** What the fake engine was started with: the prompt is its last word. */
async function promptReceived(box: Sandbox, words: readonly string[]): Promise<string> {
  const answer = await box.jsonHere<{ completion: { state: string }; run_id: string }>(['run', 'codex', ...words], {
    env: fakeEngine('codex', 'codex-like.mjs'),
  });
  expect(answer.completion.state).toBe('completed');
  const said = box.events(answer.run_id).find(({ event }) => event.type === 'agent.message.final');
  return (JSON.parse((said!.data as { text: string }).text) as string[]).at(-1)!;
}

describe('an engine or a prompt that cannot work is refused with a clear error, and odd ones that can do work', () => {
  test('an engine that is not installed is refused with the command that installs it, and nothing is left behind', async () => {
    const box = sandbox();
    const { error, finished } = await box.json<Refusal>(['run', 'codex', '--', 'hello'], {
      env: { PATH: '/usr/bin:/bin' },
    });
    expect(finished.code).toBe(127);
    expect(error).toMatchObject({
      code: 'ENGINE_NOT_INSTALLED',
      fix: expect.stringContaining('tacho engines install codex'),
    });
    expect(fs.existsSync(path.join(box.home, 'runs'))).toBe(false);
  });

  test('an engine that can no longer be installed says so', async () => {
    const { error } = await sandbox().jsonHere<Refusal>(['run', 'iflow', '--', 'hello'], {
      env: { PATH: '/usr/bin:/bin' },
    });
    expect(error).toMatchObject({ code: 'ENGINE_NOT_INSTALLED', fix: expect.stringContaining('tacho import') });
  });

  test('a version newer than those tested runs and resumes, with one warning that names both', async () => {
    const box = sandbox();
    const env = fakeEngine('codex', 'codex-like.mjs', { version: '9.9.9' });
    const { code, stdout } = await box.here(['run', 'codex', '--', 'hello'], { env });
    expect(code).toBe(0);
    expect(stdout.match(/ENGINE_VERSION_UNTESTED/g)).toHaveLength(1);
    const resumed = await box.jsonHere(['resume', '--reopen', box.runIds()[0]!, 'more'], { env });
    expect(resumed).toMatchObject({ attempt: 2, status: 'succeeded' });
    const warnings = box.events().filter(({ event }) => event.category === 'diagnostic');
    expect(warnings.map(({ data, attempt_number }) => ({ ...data, attempt_number }))).toMatchObject([
      { code: 'ENGINE_VERSION_UNTESTED', version: '9.9.9', tested: codex.testedVersions, attempt_number: 1 },
    ]);
  });

  test('an unknown engine is refused with the names of those there are', async () => {
    const { error, finished } = await sandbox().json<Refusal>(['run', 'codexx', '--', 'hello']);
    expect(finished.code).toBe(2);
    expect(error).toMatchObject({ code: 'UNKNOWN_ENGINE', fix: expect.stringContaining('codex, gemini') });
    const imported = await sandbox().jsonHere<Refusal>([
      'import',
      'nobody',
      '--stdout',
      '/dev/null',
      '--exit-code',
      '0',
    ]);
    expect(imported.error.code).toBe('UNKNOWN_ENGINE');
  });

  test.each([
    ['200 KB', 'x'.repeat(200 * 1024), 'PROMPT_TOO_LONG'],
    ['nothing', '', 'PROMPT_INVALID'],
    ['blanks', '  \n ', 'PROMPT_INVALID'],
    ['a NUL', 'before\0after', 'PROMPT_INVALID'],
  ])('a prompt of %s is refused before anything is written', async (_, prompt, code) => {
    const box = sandbox();
    const file = path.join(box.home, 'prompt.txt');
    fs.writeFileSync(file, prompt);
    const env = fakeEngine('codex', 'codex-like.mjs');
    const { error, finished } = await box.jsonHere<Refusal>(['run', 'codex', '--prompt-file', file], { env });
    expect(finished.code).toBe(2);
    expect(error.code).toBe(code);
    expect(error.fix).not.toBe('');
    expect(fs.existsSync(path.join(box.home, 'runs'))).toBe(false);
  });

  test.each([
    ['begins with a dash', '-rf is not what I meant'],
    ['is a flag of tacho itself', '--json'],
    ['has newlines', 'first\nsecond\r\n\tthird'],
    ['has quotes and shell characters', `it's "quoted" \`$(touch x)\` $HOME \\ ; | & * {prompt} {session}`],
    ['is not English', '修复测试 🛠️ — naïve café'],
    ['is as long as an argument can be', 'y'.repeat(128 * 1024 - 1)],
  ])('a prompt that %s reaches the engine unharmed', async (_, prompt) => {
    expect(await promptReceived(sandbox(), ['--', prompt])).toBe(prompt);
  });

  test('engine arguments go to the engine as they are, and before the prompt', async () => {
    const box = sandbox();
    const words = ['run', 'codex', '--engine-arg', '--search', '--engine-arg', 'a b', '--', 'hello'];
    const { run_id } = await box.jsonHere(words, { env: fakeEngine('codex', 'codex-like.mjs') });
    const said = box.events(run_id).find(({ event }) => event.type === 'agent.message.final');
    const received = JSON.parse((said!.data as { text: string }).text) as string[];
    expect(received.slice(received.indexOf('--search'))).toEqual(['--search', 'a b', '--', 'hello']);
  });

  test.each([
    [['run', 'codex', '--mode', 'chatty', '--', 'x'], 'Use auto or interactive.'],
    [['run', 'codex', '--translate', '4', '--', 'x'], 'Use 0'],
    [['run', '--model', 'm', '--', 'ls'], 'Name an engine'],
    [['run', 'codex', '--prompt-file', '/dev/null', 'x'], '--prompt-file or words, not both'],
    [['run', 'codex', '--base-url', 'nowhere', '--', 'x'], '--base-url http://'],
    [['import', 'codex', '--stdout', '/dev/null'], '--exit-code'],
    [['import', 'codex', '--exit-code', '0'], 'at least one of'],
    [['import', 'codex', '--stdout', '/dev/null', '--exit-code', '300'], '--exit-code 1'],
  ])('tacho %s says what to do instead', async (words, fix) => {
    const { finished, error } = await sandbox().jsonHere<Refusal>(words, {
      env: fakeEngine('codex', 'codex-like.mjs'),
    });
    expect(finished.code).toBe(2);
    expect(error.fix).toContain(fix);
  });

  test('a log that cannot be read leaves no half of a run', async () => {
    const box = sandbox();
    const words = ['import', 'codex', '--stdout', '/dev/null', '--stderr', '/no/such/file', '--exit-code', '0'];
    const { error } = await box.jsonHere<Refusal>(words);
    expect(error.code).toBe('IMPORT_FAILED');
    expect(fs.existsSync(path.join(box.home, 'runs'))).toBe(false);
  });

  test('a reply to a run that does not wait, or has no session, is refused with the way out', async () => {
    const box = sandbox();
    const env = fakeEngine('codex', 'codex-like.mjs');
    const { run_id } = await box.jsonHere(['run', 'codex', '--', 'hello'], { env });
    const ended = await box.jsonHere<Refusal>(['resume', run_id, 'more'], { env });
    expect(ended.error).toMatchObject({ code: 'RUN_ENDED', fix: expect.stringContaining('--reopen') });
    const reopened = await box.jsonHere<{ attempt: number; status: string }>(['resume', '--reopen', run_id, 'more'], {
      env,
    });
    expect(reopened).toMatchObject({ attempt: 2, status: 'succeeded' });
    const plain = await box.jsonHere(['run', '--', 'true']);
    const none = await box.jsonHere<Refusal>(['resume', plain.run_id, 'more']);
    expect(none.error.code).toBe('SESSION_UNKNOWN');
  });
});
