import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeStrace, type StraceProbe } from '../../../src/recording/trace/probe-strace.ts';
import { builtProgram } from '../../support/program.ts';

const printProbe = fileURLToPath(new URL('./print-probe.ts', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'tacho-probe-test-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** A folder with a program of that name in it. */
function folderWith(name: string, script: string): string {
  const bin = fs.mkdtempSync(path.join(folder, 'bin-'));
  fs.writeFileSync(path.join(bin, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  return bin;
}

describe('probeStrace', () => {
  test('finds a working strace on this machine', async () => {
    expect(await probeStrace()).toEqual({
      ok: true,
      path: expect.stringMatching(/^\/.*strace$/),
      version: expect.stringMatching(/^\d+\.\d+/),
      seccompBpf: true,
    });
  });

  test('says what to install if strace is missing', async () => {
    expect(await probeStrace(folder)).toEqual({
      ok: false,
      reason: 'strace is not installed.',
      fix: 'Install it, e.g. `apt-get install strace`.',
    });
  });

  test('reports that tracing is forbidden although strace is installed', () => {
    // A traced process cannot be traced again.
    const options = ['-f', '-qq', '-e', 'trace=none', '-o', '/dev/null'];
    const command = [process.execPath, builtProgram(printProbe)];
    const { stdout } = spawnSync('strace', [...options, ...command], { encoding: 'utf8' });
    const probe = JSON.parse(stdout) as StraceProbe;
    expect(probe).toEqual({
      ok: false,
      reason: expect.stringMatching(/itself being traced.*Operation not permitted/),
      fix: expect.stringContaining('outside the debugger'),
    });
  });

  test('says what to change if the kernel or the container forbids tracing', async () => {
    // The output of strace in a container without SYS_PTRACE; the command then runs untraced.
    const complaint = 'strace: attach: ptrace(PTRACE_ATTACH, 1): Operation not permitted';
    const bin = folderWith('strace', `[ "$1" = -V ] && echo 'strace -- version 6.1' || echo '${complaint}' >&2`);
    expect(await probeStrace(bin)).toEqual({
      ok: false,
      reason: `Tracing is not permitted here: ${complaint}`,
      fix: expect.stringMatching(/--cap-add=SYS_PTRACE|kernel\.yama\.ptrace_scope/),
    });
  });

  test('reports that strace is too old', async () => {
    const bin = folderWith('strace', `echo "strace: unrecognized option '--pidns-translation'" >&2; exit 1`);
    expect(await probeStrace(bin)).toMatchObject({ ok: false, reason: expect.stringContaining('too old') });
  });

  test('works without the kernel filter if it is not available', async () => {
    const script = `
      arguments=()
      for argument; do
        if [ "$argument" = --seccomp-bpf ]; then echo 'strace: seccomp filter is requested but unavailable' >&2
        else arguments+=("$argument"); fi
      done
      exec ${spawnSync('which', ['strace'], { encoding: 'utf8' }).stdout.trim()} "\${arguments[@]}"`;
    expect(await probeStrace(folderWith('strace', script))).toMatchObject({ ok: true, seccompBpf: false });
  });
});
