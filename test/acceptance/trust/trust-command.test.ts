import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { finished, type Sandbox, sandbox, tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';
import { command, daemonOf } from '../runtime/daemon.ts';

/** A value with a terminal escape, as a foreign file may contain it. */
const YAML = 'engines:\n  folder: "tools\\e[2J\\u009b"\nterminal:\n  cols: 90\n';

function untrusted(yaml = YAML): string {
  const folder = temporaryFolder('tacho-untrusted-');
  fs.mkdirSync(path.join(folder, 'config'));
  fs.writeFileSync(path.join(folder, 'config/tacho.yaml'), yaml);
  return folder;
}

interface Shown {
  folder: string;
  sha256: string;
  trusted: boolean;
  needs_trust: { key: string; value: unknown; source: string }[];
}

const show = (box: Sandbox, folder: string) => box.jsonHere<Shown>(['trust', folder]);
const errorOf = (box: Sandbox, words: string[], cwd: string) =>
  box.jsonHere<{ error: { code: string; fix: string } }>(words, { cwd });

/** A user's terminal. Those of `run-terminal.ts` are tacho sessions, in which trust is refused. */
async function atTerminal(
  box: Sandbox,
  folder: string,
  answer: string,
): Promise<{ code: number | null; text: string }> {
  const words = ['-qefc', `'${process.execPath}' '${tachoCommand}' trust '${folder}'`, '/dev/null'];
  const child = spawn('script', words, { env: { ...process.env, TACHO_HOME: box.home, NO_COLOR: '1' } });
  let text = '';
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString();
    if (text.endsWith('[y/N] ') || /\[y\/N\] \u001b\[\d+G$/.test(text)) child.stdin.write(answer);
  });
  const { code } = await finished(child);
  return { code, text };
}

test('trust is shown, given by hash, listed and revoked', async () => {
  const [box, folder] = [sandbox(), untrusted()];
  const shown = await show(box, folder);
  expect(shown).toMatchObject({
    folder,
    trusted: false,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    needs_trust: [{ key: 'engines.folder', value: 'tools\u001b[2J\u009b', source: 'config/tacho.yaml:2:3' }],
  });
  const { stdout } = await box.here(['trust', '--show', folder]);
  expect(stdout).toContain(shown.sha256);
  expect(stdout).not.toMatch(/[\u001b\u009b]/);

  await box.here(['trust', folder, '--hash', shown.sha256.toUpperCase()]);
  expect((await show(box, folder)).trusted).toBe(true);
  const { trusted } = await box.jsonHere<{ trusted: object[] }>(['trust', '--list']);
  expect(trusted).toMatchObject([{ folder, sha256: shown.sha256 }]);

  expect((await box.here(['trust', '--revoke'], { cwd: folder })).stdout).toBe(`no longer trusted: ${folder}\n`);
  expect((await show(box, folder)).trusted).toBe(false);
  expect((await box.jsonHere<{ trusted: object[] }>(['trust', '--list'])).trusted).toEqual([]);
});

test('trust is refused with a stable code and a remedy', async () => {
  const [box, folder] = [sandbox(), untrusted()];
  const { sha256 } = await show(box, folder);
  const alone = await box.here(['trust'], { cwd: folder });
  expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('[TRUST_NEEDS_TERMINAL]') });
  expect(alone.stderr).toContain(`tacho trust --hash ${sha256}`);
  const codes = async (words: string[], cwd = folder) => (await errorOf(box, words, cwd)).error.code;
  expect(await codes(['trust', '--hash', '0'.repeat(64)])).toBe('TRUST_MISMATCH');
  expect(await codes(['trust', '--hash', sha256], untrusted(`${YAML}#`))).toBe('TRUST_MISMATCH');
  expect(await codes(['trust', '--hash', sha256], temporaryFolder())).toBe('TRUST_MISMATCH');
  expect(await codes(['trust', '--hash', 'abc'])).toBe('USAGE');
  expect(await codes(['trust', '--list', '--revoke'])).toBe('USAGE');
  expect(await codes(['trust', '--revoke'])).toBe('NOT_FOUND');
  expect(await codes(['trust', path.join(folder, 'gone')])).toBe('CWD_NOT_FOUND');
  expect(await codes(['trust', '--hash', sha256, '--data', path.join(folder, '.tacho')])).toBe('TRUST_REFUSED');
  expect((await show(box, folder)).trusted).toBe(false);
});

test('a folder without dangerous settings needs no trust', async () => {
  const [box, folder] = [sandbox(), untrusted('terminal: { cols: 90 }\n')];
  const answer = await box.here(['trust'], { cwd: folder });
  expect(answer).toMatchObject({ code: 0, stdout: `nothing in ${folder} needs trust\n`, stderr: '' });
});

test('asks at a terminal, and accepts only an explicit yes', async () => {
  const [box, folder] = [sandbox(), untrusted()];
  const refused = await atTerminal(box, folder, '\r');
  expect(refused.text).toContain('engines.folder = "tools');
  expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('[TRUST_REFUSED]') });
  expect((await atTerminal(box, folder, '\u0003')).code).toBe(1);
  expect((await atTerminal(box, folder, '\u0004')).code).toBe(1);
  expect((await show(box, folder)).trusted).toBe(false);
  expect(await atTerminal(box, folder, 'y\r')).toMatchObject({ code: 0, text: expect.stringContaining('✔ trusted') });
  expect((await show(box, folder)).trusted).toBe(true);
});

test('a recorded program cannot trust its folder or change settings and skills of the user, not even with an empty environment', async () => {
  const [box, folder] = [sandbox(), untrusted()];
  const { sha256 } = await show(box, folder);
  const tacho = `'${process.execPath}' '${tachoCommand}'`;
  const set = `${tacho} config set service.host 0.0.0.0 --data '${box.home}'`;
  const make = `${tacho} skills new review --data '${box.home}'`;
  const script = `${tacho} trust '${folder}' --hash ${sha256} --data '${box.home}'; ${set}; ${make}`;
  const { run_id } = await box.json(['run', '--', 'env', '-i', 'setsid', '-w', '/bin/sh', '-c', script]);
  const printed = fs.readFileSync(path.join(box.audit(run_id), 'stderr.1.log'), 'utf8');
  expect(printed.match(/\[TRUST_REFUSED\]/g)).toHaveLength(3);
  expect((await show(box, folder)).trusted).toBe(false);
  expect(fs.existsSync(path.join(box.home, 'config.yaml'))).toBe(false);
  expect(fs.existsSync(path.join(box.home, 'skills'))).toBe(false);
});

test('a runtime and its MCP server ignore the targets of an untrusted workspace, and say why', async () => {
  const folder = untrusted(
    'targets:\n  ssh:\n    build: { host: 127.0.0.1, user: you, host_key: ssh-ed25519 AAAA, port: 1 }\n',
  );
  const client = daemonOf(folder).client();
  await expect(client.call('session.create', { target: 'ssh:build' })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    fix: expect.stringContaining(
      `targets.ssh.build of config/tacho.yaml. To look at them and allow them: tacho trust ${folder}`,
    ),
  });
  const [program, ...words] = command;
  const mcp = spawn(program!, [...words, 'mcp', '--workspace', folder]);
  onTestFinished(() => void mcp.kill());
  const ended = finished(mcp);
  let complaints = '';
  mcp.stderr.on('data', (bytes: Buffer) => {
    complaints += bytes.toString();
  });
  await until(() => complaints.includes('[SETTINGS_UNTRUSTED]'));
  mcp.stdin.end();
  expect((await ended).stdout).toBe('');
});
