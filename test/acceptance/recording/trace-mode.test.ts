import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { reconstructStreams } from '../../../src/recording/index.ts';
import { traceOnOneTerminal } from '../../recording/trace/one-terminal.ts';
import { projectRoot, sandbox, temporaryFolder } from '../../support/tacho.ts';

interface Write {
  time: number;
  pid: number;
  command: string;
  stream: 'stdout' | 'stderr';
  byte_from: number;
  byte_to: number;
}

describe('a trace shows which process wrote what, and is refused before the start where it is not possible', () => {
  test('two processes writing in turns: the exact interleaving with pid and command', async () => {
    const { jsonHere, audit } = sandbox();
    const turns = 20;
    await jsonHere([
      'run',
      '--capture',
      'trace',
      '--',
      process.execPath,
      path.join(projectRoot, 'test/agents/take-turns.mjs'),
    ]);
    const read = (name: string) => fs.readFileSync(path.join(audit(), name));
    const streams = { stdout: read('stdout.1.log'), stderr: read('stderr.1.log') };
    const writes = read('writes.1.jsonl')
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Write);
    const written = writes.map((write) => streams[write.stream].subarray(write.byte_from, write.byte_to).toString());
    const expected = Array.from({ length: turns }, (_, turn) => [`ping ${turn}\n`, `pong ${turn}\n`]).flat();
    expect(written).toEqual(expected);
    expect(writes.map(({ stream }) => stream)).toEqual(
      expected.map((_, index) => (Math.floor(index / 2) % 2 === 0 ? 'stdout' : 'stderr')),
    );
    const pids = [...new Set(writes.map(({ pid }) => pid))];
    expect(pids).toHaveLength(2);
    for (const [index, role] of ['ping', 'pong'].entries()) {
      const own = writes.filter(({ pid }) => pid === pids[index]);
      expect(own).toHaveLength(turns);
      for (const { command } of own) expect(command).toContain(`take-turns.mjs ${role}`);
    }
    const meta = JSON.parse(read('meta.1.json').toString());
    expect(meta.trace).toMatchObject({ coverage: 1, writes: 40 });
  });

  // test/fixtures/traces/make.sh recorded each of these by running a program under strace.
  test('a Node program that reopened the terminal, with only writes traced: the streams are not swapped', async () => {
    const { stdout, stderr } = await textOf('swapped-writes-only');
    expect({ stdout, stderr }).toEqual({ stdout: '{"answer":42,"text":"on stdout"}\n', stderr: 'warming up\ndone\n' });
  });

  test('a Node program that reopened the terminal, with dup3 traced: the streams are certain', async () => {
    const { stdout, stderr, result } = await textOf('swapped-with-dup3');
    expect({ stdout, stderr }).toEqual({ stdout: '{"answer":42,"text":"on stdout"}\n', stderr: 'warming up\ndone\n' });
    expect(result.diagnostics).toEqual([]);
  });

  test('unfinished and resumed writes of eight threads: all 1,600', async () => {
    expect((await textOf('threads')).result.writes).toBe(1600);
  });

  test('a write longer than strace prints: at least 65,535 bytes and a report of the rest', async () => {
    const trace = path.join(temporaryFolder(), 'trace');
    const program = path.join(projectRoot, 'test/agents/trace-long-write.mjs');
    traceOnOneTerminal(trace, '-f -yy -s 65535 -e trace=write', `'${process.execPath}' '${program}'`);
    const result = await reconstructStreams(trace);
    expect(result.stdoutChunks.at(-1)!.byte_to).toBeGreaterThanOrEqual(65_535);
    expect(result.truncated.bytes).toBe(70_023 - result.stdoutChunks.at(-1)!.byte_to);
  });

  test('short writes count once: 40,009 bytes', async () => {
    expect((await textOf('partial-writes')).stdout).toHaveLength(40_009);
  });

  test('writev is read: every byte of every piece', async () => {
    const { stdout } = await textOf('writev');
    expect(stdout.startsWith('{"type":"a"}\n')).toBe(true);
    expect(stdout).toHaveLength(13 + 256);
  });

  test('missing strace fails before the start, with the fix', async () => {
    const { here, home } = sandbox();
    const bin = temporaryFolder();
    for (const name of ['bash', 'true', 'env', 'sh', 'setsid'])
      fs.symlinkSync(`/usr/bin/${name}`, path.join(bin, name));
    const result = await here(['run', '--capture', 'trace', '--', 'bash', '-c', 'echo x'], { env: { PATH: bin } });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('[TRACE_UNAVAILABLE]');
    expect(result.stderr).toContain('apt-get install strace');
    expect(fs.existsSync(path.join(home, 'runs')) ? fs.readdirSync(path.join(home, 'runs')) : []).toEqual([]);
  });

  test('forbidden strace fails before the start, with the fix', async () => {
    const { here, home } = sandbox();
    const bin = temporaryFolder();
    // A traced process cannot be traced again: the kernel refuses strace.
    fs.writeFileSync(
      path.join(bin, 'strace'),
      '#!/bin/sh\nexec /usr/bin/strace -f -qq -e trace=none -o /dev/null /usr/bin/strace "$@"\n',
      { mode: 0o755 },
    );
    const result = await here(['run', '--capture', 'trace', '--', 'bash', '-c', 'echo x'], {
      env: { PATH: `${bin}:${process.env.PATH}` },
    });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('[TRACE_UNAVAILABLE]');
    expect(result.stderr).toMatch(/SYS_PTRACE|ptrace_scope/);
    expect(fs.existsSync(path.join(home, 'runs')) ? fs.readdirSync(path.join(home, 'runs')) : []).toEqual([]);
  });
});

async function textOf(fixture: string) {
  const result = await reconstructStreams(path.join(projectRoot, 'test/fixtures/traces', `${fixture}.log`));
  const text = (chunks: typeof result.stdoutChunks) =>
    Buffer.concat(chunks.map(({ bytes }) => bytes)).toString('latin1');
  return { stdout: text(result.stdoutChunks), stderr: text(result.stderrChunks), result };
}
