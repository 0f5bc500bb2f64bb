import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EngineFacts } from '../../../src/protocol/index.ts';
import { projectRoot, type Sandbox, sandbox, tachoCommand, temporaryFolder } from '../../support/tacho.ts';
import { atTerminal, type RunningTerminal } from '../../terminal/run-terminal.ts';

/** An engine whose sign-in is a script. */
const DEFINED = `engines:
  scripted:
    extends: codex
    command: ['${process.execPath}', '${path.join(projectRoot, 'test/agents/sign-in.mjs')}']
    start: [work, '{prompt}']
    sign_in: { variables: [SCRIPTED_KEY], files: [.signed/auth.json], login: [login] }
`;

interface Refusal {
  error: { code: string; message: string; fix: string };
}

function scripted(): Sandbox {
  const box = sandbox();
  fs.writeFileSync(path.join(box.home, 'config.yaml'), DEFINED, { mode: 0o600 });
  return box;
}

async function factsOf(box: Sandbox, name: string, env: Record<string, string> = {}): Promise<EngineFacts> {
  const { engines } = await box.jsonHere<{ engines: EngineFacts[] }>(['engines'], { env });
  return engines.find((engine) => engine.name === name)!;
}

function loginAtTerminal(box: Sandbox, words: readonly string[], env: Record<string, string>): RunningTerminal {
  const login = [process.execPath, tachoCommand, 'engines', 'login', 'scripted', ...words];
  return atTerminal(['env', '-C', box.work, ...login], box.home, env);
}

const kept = (box: Sandbox) => path.join(box.home, 'env/home/.signed/auth.json');

describe('tacho engines login', () => {
  test('runs the sign-in of the engine on the terminal, with its managed home and without the user’s keys', async () => {
    const box = scripted();
    expect(await factsOf(box, 'scripted')).toMatchObject({
      sign_in: { state: 'no' },
      next_step: 'tacho engines login scripted',
    });
    const running = loginAtTerminal(box, [], { MY_SECRET_KEY: 'mine' });
    await running.printed('Paste the code: ');
    running.terminal.write(Buffer.from('1234-abcd\r'));
    await running.printed('scripted is signed in');
    await running.printed('code 0');
    await running.terminal.ended;
    expect(JSON.parse(fs.readFileSync(kept(box), 'utf8'))).toEqual({ key: '1234-abcd', mine: null });
    expect(await factsOf(box, 'scripted')).toMatchObject({
      sign_in: { state: 'yes', by: 'managed_home', name: '.signed/auth.json' },
      next_step: 'tacho run scripted "…"',
    });
    expect((await box.here(['scripted', 'hello'])).stdout).toContain('signed in');
  });

  test('passes arguments and piped input to the program, which then needs no terminal', async () => {
    const box = scripted();
    const words = ['engines', 'login', 'scripted', '--json', '--', 'login', '--with-key'];
    const { code, stdout } = await box.tacho(words, { input: 'key-from-a-pipe\n' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1)!)).toEqual({
      engine: 'scripted',
      sign_in: { state: 'yes', by: 'managed_home', name: '.signed/auth.json' },
    });
    expect(JSON.parse(fs.readFileSync(kept(box), 'utf8')).key).toBe('key-from-a-pipe');
  });

  test.each([
    [['scripted', '--', 'login', '--fail'], 'SIGN_IN_FAILED', 'its sign-in ended with exit code 3'],
    [['scripted', '--', 'login', '--nothing'], 'SIGN_IN_FAILED', 'left no credentials in the managed home'],
    [['scripted'], 'SIGN_IN_FAILED', 'needs a terminal'],
    [['scripted', '--from-home'], 'USAGE', 'cannot ask for consent'],
    [['demo'], 'USAGE', 'needs no sign-in'],
    [['iflow'], 'USAGE', 'does not know how to sign in'],
    [['nobody'], 'UNKNOWN_ENGINE', 'unknown engine'],
  ])('refuses %j', async (words, code, message) => {
    const { stderr, code: exit } = await scripted().tacho(['engines', 'login', ...words]);
    expect(exit).toBeGreaterThan(0);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(message);
    expect(stderr).toContain(`[${code}]`);
  });

  test('copies the sign-in of the user’s own home with consent, readable only by the user', async () => {
    const box = scripted();
    const own = temporaryFolder();
    fs.mkdirSync(path.join(own, '.signed'));
    fs.writeFileSync(path.join(own, '.signed/auth.json'), '{"key":"own"}', { mode: 0o644 });
    const env = { HOME: own };
    const refused = loginAtTerminal(box, ['--from-home'], env);
    await refused.printed('[y/N]');
    refused.terminal.write(Buffer.from('n\r'));
    await refused.printed('Nothing was copied.');
    await refused.terminal.ended;
    expect(fs.existsSync(kept(box))).toBe(false);
    const { code, stdout } = await box.tacho(['engines', 'login', 'scripted', '--from-home', '--yes'], { env });
    expect([code, stdout]).toEqual([0, expect.stringContaining('.signed/auth.json in the managed home')]);
    expect(fs.readFileSync(kept(box), 'utf8')).toBe('{"key":"own"}');
    expect(fs.statSync(kept(box)).mode & 0o777).toBe(0o600);
  });
});

describe('an engine that is not signed in', () => {
  test('is not started, and nothing is left behind; a key or a model server is enough', async () => {
    const box = scripted();
    const refused = await box.jsonHere<Refusal>(['run', 'scripted', 'hello']);
    expect(refused.error).toMatchObject({
      code: 'CREDENTIALS_MISSING',
      fix: expect.stringContaining('tacho engines login scripted'),
    });
    expect(fs.existsSync(path.join(box.home, 'runs'))).toBe(false);
    const { code } = await box.here(['run', 'scripted', '-e', 'SCRIPTED_KEY=sk-1234567', 'hello']);
    expect(code).toBe(0);
  });

  test('is shown with how tacho knows it and what to do next', async () => {
    const box = scripted();
    const own = temporaryFolder();
    fs.mkdirSync(path.join(own, '.signed'));
    fs.writeFileSync(path.join(own, '.signed/auth.json'), '{}');
    const { stdout } = await box.tacho(['engines'], { env: { HOME: own } });
    expect(stdout).toMatch(/^ENGINE +INSTALLED +SIGNED IN +NEXT/);
    expect(stdout).toMatch(
      /scripted +yes, reads as codex +no, but in your own home +tacho engines login scripted --from-home/,
    );
    expect(stdout).toMatch(/demo +yes +not needed +tacho run demo "…"/);
    expect(stdout).toMatch(/iflow +discontinued +– +tacho import iflow/);
    expect((await factsOf(box, 'scripted', { SCRIPTED_KEY: 'x' })).sign_in).toEqual({
      state: 'yes',
      by: 'variable',
      name: 'SCRIPTED_KEY',
    });
  });
});
