import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type SandboxRequest, sandboxRequestSchema } from '../../src/protocol/terminal/index.ts';
import { enterBubblewrap, probeBubblewrap } from '../../src/sandbox/index.ts';
import { PipedProgram } from '../../src/terminal/piped-program.ts';
import { temporaryFolder } from '../support/tacho.ts';

const run = promisify(execFile);
const works = 'program' in (await probeBubblewrap('off'));

interface InSandbox {
  workspace?: string;
  request?: Partial<SandboxRequest>;
}

/** The output and the errors of a script in a sandbox. */
async function inSandbox(script: string, { workspace = temporaryFolder(), request = {} }: InSandbox = {}) {
  const environment = { PATH: process.env.PATH!, HOME: process.env.HOME ?? '/' };
  const place = { workspace, cwd: workspace, environment };
  const entered = await enterBubblewrap(sandboxRequestSchema.parse(request), place);
  if ('why' in entered) throw new Error(entered.why);
  const printed = { stdout: '', stderr: '' };
  const program = await PipedProgram.start({
    argv: ['bash', '-c', script],
    cwd: workspace,
    env: environment,
    marker: randomUUID(),
    stdin: 'empty',
    entry: entered.entry,
    onOutput: (stream, bytes) => (printed[stream] += bytes.toString()),
  });
  await program.exited;
  program.close();
  entered.leave();
  return printed;
}

test('if bubblewrap is missing, the reason says so', async () => {
  expect(await probeBubblewrap('off', temporaryFolder())).toEqual({
    why: 'bubblewrap is not installed (no bwrap on PATH)',
  });
});

test('requests succeed or fail as the probe says', async () => {
  const place = { workspace: '/usr', cwd: '/usr', environment: {} };
  const entered = await enterBubblewrap(sandboxRequestSchema.parse({ workspace: 'read' }), place);
  expect('entry' in entered).toBe(works);
});

test('if bubblewrap does not work, the reason is its own error', async () => {
  const folder = temporaryFolder();
  const text = '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n';
  fs.writeFileSync(path.join(folder, 'bwrap'), text, { mode: 0o755 });
  expect(await probeBubblewrap('off', folder)).toEqual({
    why: 'bubblewrap does not work here: bwrap: No permissions to create new namespace',
  });
});

test('the workspace is at its own path, and changes there are kept', async () => {
  const workspace = temporaryFolder();
  const outside = `/tmp/tacho-lost-${process.pid}`;
  const script = `pwd; echo kept >file; echo lost >${outside}; echo lost >~/file`;
  const { stdout } = await inSandbox(script, { workspace });
  expect(stdout).toBe(`${workspace}\n`);
  expect(fs.readFileSync(path.join(workspace, 'file'), 'utf8')).toBe('kept\n');
  expect(fs.existsSync(outside)).toBe(false);
});

test('other processes, the home, the rest of the machine and its privileges are not accessible', async () => {
  const script = `
    for path in ~/.ssh /etc/shadow /var/lib /boot /sys; do [ -e "$path" ] && echo "seen $path"; done
    [ "$(ls /proc | grep -c '^[0-9]')" -lt 10 ] || echo 'seen processes'
    mount -o remount,rw,bind /usr 2>/dev/null && echo 'changed a mount'
    umount /tmp 2>/dev/null && echo 'undid a mount'
    touch /usr/made 2>/dev/null && echo 'wrote /usr'
    grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && echo 'has rights'
    kill -0 ${process.pid} 2>/dev/null && echo 'reached a process'
    true`;
  expect(await inSandbox(script)).toEqual({ stdout: '', stderr: '' });
});

test('there is no network unless requested', async () => {
  expect((await inSandbox('cat /proc/net/dev | tail -n +3 | cut -d: -f1')).stdout.trim()).toBe('lo');
  const asked = 'program' in (await probeBubblewrap('on'));
  const outside = fs.readFileSync('/proc/net/dev', 'utf8').trim().split('\n').length;
  if (!asked) return;
  const { stdout } = await inSandbox('cat /proc/net/dev', { request: { network: 'on' } });
  expect(stdout.trim().split('\n')).toHaveLength(outside);
});

test('the runtime’s secret and hidden paths are not visible, and read-only paths are not writable', async () => {
  const workspace = temporaryFolder();
  for (const folder of ['.tacho/runtime', 'hidden', 'fixed/free'])
    fs.mkdirSync(path.join(workspace, folder), { recursive: true });
  for (const file of ['.tacho/runtime/server.json', 'hidden/file', 'key'])
    fs.writeFileSync(path.join(workspace, file), 'secret');
  const inside = (name: string) => path.join(workspace, name);
  const request = { read: [inside('fixed')], write: [inside('fixed/free')], hide: [inside('hidden'), inside('key')] };
  const script = `
    ls -A .tacho/runtime hidden; cat key
    mv .tacho moved 2>/dev/null || mv .tacho/runtime moved 2>/dev/null && echo 'moved the runtime away'
    for file in hidden/new fixed/new fixed/free/new .tacho/runtime/new key; do
      { echo x >$file; } 2>/dev/null && echo "wrote $file"
    done; true`;
  const { stdout } = await inSandbox(script, { workspace, request });
  expect(stdout).toBe('.tacho/runtime:\n\nhidden:\nwrote fixed/free/new\n');
  expect(fs.readFileSync(inside('key'), 'utf8')).toBe('secret');
});

test('background processes end with the program', async () => {
  const seconds = `300.${process.pid}`;
  await inSandbox(`setsid env -i sleep ${seconds} >/dev/null 2>&1 & until pgrep -xf 'sleep ${seconds}'; do :; done`);
  const left = () => run('pgrep', ['-xf', `sleep ${seconds}`]).catch(({ code }) => code);
  await expect.poll(left).toBe(1);
});
