import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeBubblewrap, type SandboxProfile, sandboxProfile } from '../../../src/sandbox/index.ts';
import { availableLimits } from '../../../src/terminal/index.ts';
import { trustFolder } from '../../support/trust.ts';
import { setTheStage } from '../../tools/commands/hostile-stage.ts';
import { RESTRICTED_WAYS, WAYS } from '../../tools/commands/hostile-ways.ts';
import { folderOnDisk, openIn } from '../../tools/commands/opened.ts';
import { openForTest } from './opened.ts';

const works = 'program' in (await probeBubblewrap('off'));
const PROFILES = ['dev', 'balanced', 'prod'] as const;
const servers = [net.createServer((socket) => socket.end()), net.createServer((socket) => socket.end())];
const abstract = `tacho-test-port-${process.pid}`;

beforeAll(async () => {
  await new Promise<void>((resolve) => void servers[0]!.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => void servers[1]!.listen(`\0${abstract}`, resolve));
});
afterAll(() => {
  for (const server of servers) server.close();
});

describe.each(PROFILES)('a terminal in the profile %s', (profile) => {
  test('does not let a hostile program out', async () => {
    if (!works) return;
    const { port } = servers[0]!.address() as net.AddressInfo;
    const { stage, protectedFiles } = setTheStage({ port, abstract, pid: process.pid });
    const { workspace, home, data: dataFolder } = stage;
    const sandbox = { profile, home, dataFolder, fixed: [path.join(workspace, 'policy.yaml')] };
    const before = protectedFiles();
    const { exec, daemon } = openForTest({ sandbox }, { HOST_SECRET: 'HOST_SECRET of the test' }, workspace);
    await exec('true');
    const hunted = { ...stage, pid: daemon.serverFile().pid };
    // In this order: some leave files in the empty home, which others look into.
    const ways = { ...(profile === 'dev' ? {} : RESTRICTED_WAYS), ...WAYS };
    const scripts = Object.entries(ways).map(
      ([way, script]) => `( ${script(hunted)}\n) 2>/dev/null | sed 's/^ESCAPED$/ESCAPED: ${way}/'`,
    );
    const { output, exitCode } = await exec(`${scripts.join('\n')}\necho over`);
    expect([output.trimEnd().split('\n').at(-1), exitCode]).toEqual(['over', 0]);
    const escaped = output.split('\n').filter((line) => line.includes('ESCAPED'));
    // Placeholders are removed a moment after the terminal has ended.
    await expect.poll(protectedFiles).toEqual(before);
    await expect.poll(() => fs.existsSync(path.join(workspace, 'config'))).toBe(false);
    expect(escaped).toEqual([]);
    expect(Object.keys(ways).length).toBeGreaterThan(60);
  });

  test('has the environment that commands of the agent have, and nothing of the host or the daemon', async () => {
    if (!works) return;
    const secret = { TACHO_TEST_SECRET: 'secret', BASH_ENV: '/evil', LD_LIBRARY_PATH: '/evil' };
    const { exec, workspace } = openForTest({ sandbox: { profile, path: process.env.PATH } }, secret);
    const variables = async (script: string) => {
      const { output } = await exec(script, { env: { OWN: 'value', TMPDIR: '/var/tmp' } });
      return output.trim().split('\n').sort();
    };
    const { bash } = await openIn(workspace, profile, { path: process.env.PATH });
    const { stdout } = await bash('env', { env: { OWN: 'value', TMPDIR: '/var/tmp' } });
    const stable = (lines: string[]) => lines.filter((line) => !line.startsWith('TACHO_MARKER='));
    const more = ['GIT_PAGER=cat', 'PAGER=cat'];
    expect(stable(await variables('env'))).toEqual([...stable(stdout.toString().trim().split('\n')), ...more].sort());
  });

  test('shows no variable in a command line', async () => {
    if (!works) return;
    const { exec, type } = openForTest({ sandbox: { profile } });
    const { sessionId } = await exec('echo "$TOKEN"; read -r line', { env: { TOKEN: 'hidden-value-7' }, yieldMs: 0 });
    const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    expect(lines).toContain('bwrap');
    expect(lines).not.toContain('hidden-value-7');
    expect(await type(sessionId!, '\n')).toMatchObject({ output: expect.stringContaining('hidden-value-7\n') });
  });
});

test('the limits of a profile apply as far as the machine can enforce them', async () => {
  if (!works) return;
  const { exec, daemon } = openForTest({ sandbox: { profile: 'prod' } });
  const { limits } = await availableLimits(sandboxProfile('prod').limits);
  const { sessionId, output } = await exec('ulimit -n; read -r line', { yieldMs: 500 });
  expect(output).toBe(`${limits.open_files ?? ''}\n`);
  const session = await daemon.client().call('session.info', { session_id: sessionId! });
  expect(session).toMatchObject({ limits, sandbox: { profile: 'prod', network: 'off' } });
});

test('stricter limits of the configuration stay in effect', async () => {
  if (!works) return;
  const workspace = path.join(folderOnDisk(), 'workspace');
  fs.mkdirSync(path.join(workspace, 'config'), { recursive: true });
  fs.writeFileSync(path.join(workspace, 'config/tacho.yaml'), 'runtime:\n  open_files: 77\n');
  const { exec } = openForTest({ sandbox: { profile: 'prod' } }, {}, workspace);
  expect((await exec('ulimit -n')).output).toBe('77\n');
});

test('without a sandbox a terminal has the whole machine, and still only its own variables', async () => {
  const { exec } = openForTest({}, { TACHO_TEST_SECRET: 'secret' });
  const { output } = await exec('env | cut -d= -f1 | sort | tr "\\n" " "; test -r /etc/shadow; echo $?');
  const names = 'GIT_PAGER HOME LANG PAGER PATH PWD SHLVL TACHO_MARKER TERM _';
  expect(output).toBe(`${names} ${fs.existsSync('/etc/shadow') && process.getuid!() === 0 ? 0 : 1}\n`);
});

test.each(PROFILES)('if the sandbox of %s is impossible, nothing runs', async (profile) => {
  const programs = folderOnDisk();
  for (const name of ['sh', 'bash', 'env']) fs.symlinkSync(`/bin/${name}`, path.join(programs, name));
  const { exec, workspace } = openForTest({ sandbox: { profile } }, { PATH: programs });
  await expect(exec('touch made')).rejects.toMatchObject({
    kind: 'sandbox_denied',
    retryable: false,
    message: expect.stringContaining('bubblewrap is not installed'),
  });
  expect(fs.readdirSync(workspace)).toEqual(['.tacho']);
  fs.rmSync(programs, { recursive: true });
});

test('a sandbox that stops working denies the command, and nothing runs', async () => {
  if (!works) return;
  const programs = folderOnDisk();
  const real = execFileSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\n[ -e ${programs}/broken ] && { echo "bwrap: no namespaces" >&2; exit 1; }\nexec ${real} "$@"\n`;
  fs.writeFileSync(path.join(programs, 'bwrap'), script, { mode: 0o755 });
  const env = { PATH: `${programs}:${process.env.PATH}` };
  const { exec, type, workspace } = openForTest({ sandbox: { profile: 'balanced' } }, env);
  expect(await exec('touch first; echo "bwrap: no namespaces"; exit 1')).toMatchObject({ exitCode: 1 });
  fs.writeFileSync(path.join(programs, 'broken'), '');
  await expect(exec('touch second')).rejects.toMatchObject({
    kind: 'sandbox_denied',
    message: 'the sandbox could not be started: bwrap: no namespaces',
  });
  // Also if the call returns before that is known.
  const { sessionId } = await exec('touch third', { yieldMs: 0 }).catch(() => ({ sessionId: null }));
  if (sessionId !== null) {
    const typing = async () => await type(sessionId, 'x\n', { yieldMs: 0 }).catch(({ kind }) => kind);
    await expect.poll(typing).toBe('sandbox_denied');
    await expect(type(sessionId, '')).rejects.toMatchObject({ kind: 'sandbox_denied' });
  }
  expect(fs.existsSync(path.join(workspace, 'third'))).toBe(false);
  expect(fs.existsSync(path.join(workspace, 'first'))).toBe(true);
  expect(fs.existsSync(path.join(workspace, 'second'))).toBe(false);
  fs.rmSync(programs, { recursive: true });
});

test('a program that the sandbox does not show is missing, as in a shell', async () => {
  if (!works) return;
  const { exec } = openForTest({ sandbox: { profile: 'balanced' } });
  expect(await exec('', { argv: ['no-such-program'] })).toMatchObject({ exitCode: 127, sessionId: null });
});

test('a daemon whose socket is open to every program of the user has no sandbox', async () => {
  const workspace = path.join(folderOnDisk(), 'workspace');
  fs.mkdirSync(path.join(workspace, 'config'), { recursive: true });
  fs.writeFileSync(path.join(workspace, 'config/tacho.yaml'), 'runtime:\n  socket_secret: optional\n');
  const distrust = trustFolder(workspace);
  try {
    const { exec } = openForTest({ sandbox: { profile: 'balanced' } }, {}, workspace);
    await expect(exec('true')).rejects.toMatchObject({ kind: 'sandbox_denied' });
  } finally {
    distrust();
  }
});

test('an agent cannot use a terminal that is confined in another way', async () => {
  if (!works) return;
  const opened = openForTest({ sandbox: { profile: 'dev' } });
  const { sessionId } = await opened.exec('cat', { yieldMs: 0 });
  const typeAs = (profile: SandboxProfile, more: object = {}) =>
    opened
      .again({ sandbox: { profile, ...more } })
      .writeStdin(
        { callKey: '1.call', sessionId: sessionId!, text: 'x\n', yieldMs: 0, maxOutputChars: 100 },
        new AbortController().signal,
      );
  for (const [profile, more] of [
    ['balanced', {}],
    ['none', {}],
    ['dev', { network: 'off' }],
    ['dev', { hidden: ['/opt'] }],
  ] as const) {
    await expect(typeAs(profile, more)).rejects.toMatchObject({ kind: 'not_permitted' });
  }
  expect(await typeAs('dev', { path: '/usr/bin' })).toMatchObject({ sessionId });
});

test('settings that no profile has are refused when the terminals are opened', () => {
  expect(() => openForTest({ sandbox: { profile: 'prod', network: 'on' } })).toThrow('network');
});
