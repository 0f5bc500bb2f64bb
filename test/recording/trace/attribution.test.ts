import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TracedWrite, tracedWriteSchema } from '../../../src/protocol/index.ts';
import { createAttribution } from '../../../src/recording/trace/attribution.ts';
import { readTraceFixture } from './fixtures.ts';

const A = '</dev/pts/3<char 136:3>>';
const B = '</dev/pts/4<char 136:4>>';

function attribute(lines: string[]) {
  const writes: TracedWrite[] = [];
  const attribution = createAttribution({
    stdout: '/dev/pts/3',
    stderr: '/dev/pts/4',
    onWrite: (write) => writes.push(write),
  });
  attribution.push(Buffer.from(lines.map((line) => `${line.replace('@A', A).replace('@B', B)}\n`).join('')));
  attribution.end();
  const { processes } = attribution;
  return { writes, processes, summary: attribution.summary(writes.at(-1)?.byte_to ?? 0) };
}

describe('attribution', () => {
  test('names the writer of all bytes, by device, whatever the descriptor', () => {
    const { writes, summary } = attribute([
      '10 1700000000.000001 execve("/usr/bin/node", ["node", "agent.mjs", "two words"], 0x7ff /* 3 vars */) = 0',
      '10 1700000000.000002 write(18@B, "warming up\\n", 11) = 11',
      '10 1700000000.000003 write(5<pipe:[9]>, "*", 1) = 1',
      '10 1700000000.000004 writev(20@A, [{iov_base="a", iov_len=1}, {iov_base="bc", iov_len=2}], 2) = 3',
      '10 1700000000.000005 sendfile(1@A, 3</tmp/file>, NULL, 65536) = 70',
      '10 1700000000.000006 splice(3<pipe:[9]>, NULL, 1@A, NULL, 10, 0) = 7',
      '10 1700000000.000007 write(7</dev/tty<char 5:0>>, "password: ", 10) = 10',
      '10 1700000000.000008 +++ exited with 0 +++',
    ]);
    const by = { pid: 10, command: 'node agent.mjs two words' };
    expect(writes).toEqual([
      { ...by, time: 1700000000.000002, stream: 'stderr', byte_from: 0, byte_to: 11 },
      { ...by, time: 1700000000.000004, stream: 'stdout', byte_from: 0, byte_to: 3 },
      { ...by, time: 1700000000.000005, stream: 'stdout', byte_from: 3, byte_to: 73 },
      { ...by, time: 1700000000.000006, stream: 'stdout', byte_from: 73, byte_to: 80 },
      { ...by, time: 1700000000.000007, stream: 'stdout', byte_from: 80, byte_to: 90 },
    ]);
    for (const write of writes) expect(tracedWriteSchema.parse(write)).toEqual(write);
    expect(summary).toMatchObject({ traced_bytes: 101, processes: 1, writes: 5, diagnostics: [] });
  });

  test('follows forks and programs; a child has its parent’s command until it runs its own', () => {
    const { writes, processes } = attribute([
      '10 execve("/bin/bash", ["bash", "run.sh"], 0x1 /* 3 vars */) = 0',
      '10 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7) = 11',
      '11 write(1@A, "x", 1) = 1',
      '11 execve("/usr/local/bin/ls", ["ls", "-l"], 0x1 /* 3 vars */) = -1 ENOENT (No such file or directory)',
      '11 execve("/bin/ls", ["ls", "-l"], 0x1 /* 3 vars */) = 0',
      '11 write(1@A, "y", 1) = 1',
      '11 +++ exited with 2 +++',
      '10 vfork( <unfinished ...>',
      '12 execve("/bin/cat", ["cat"], 0x1 /* 3 vars */) = 0',
      '10 <... vfork resumed>) = 12',
      '12 +++ killed by SIGPIPE +++',
      '10 +++ exited with 0 +++',
    ]);
    expect(writes.map(({ pid, command }) => [pid, command])).toEqual([
      [11, 'bash run.sh'],
      [11, 'ls -l'],
    ]);
    expect(processes).toEqual([
      { pid: 10, parent: null, command: 'bash run.sh', exit: { code: 0, signal: null } },
      { pid: 11, parent: 10, command: 'ls -l', exit: { code: 2, signal: null } },
      { pid: 12, parent: 10, command: 'cat', exit: { code: null, signal: 'SIGPIPE' } },
    ]);
  });

  test('counts threads as their process', () => {
    const { writes, processes } = attribute([
      '10 execve("/bin/node", ["node"], 0x1 /* 3 vars */) = 0',
      '10 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, child_tid=0x7}, 88 <unfinished ...>',
      '11 write(1@A, "x", 1) = 1',
      '10 <... clone3 resumed> => {parent_tid=[11]}, 88) = 11',
      '11 execve("/bin/echo", ["echo", "hi"], 0x1 /* 3 vars */ <pid changed to 10 ...>',
      '10 +++ superseded by execve in pid 11 +++',
      '10 <... execve resumed>) = -1 (errno 18446744073709551615)',
      '10 write(1@A, "y", 1) = 1',
    ]);
    expect(writes.map(({ pid, command }) => [pid, command])).toEqual([
      [10, 'node'],
      [10, 'echo hi'],
    ]);
    expect(processes).toHaveLength(1);
  });

  test('holds a write back until the parent of its process is known', () => {
    const { writes, processes } = attribute([
      '10 execve("/bin/a", ["a"], 0x1) = 0',
      '10 clone(flags=SIGCHLD) = 20',
      '20 execve("/bin/b", ["b"], 0x1) = 0',
      '10 clone(flags=SIGCHLD <unfinished ...>',
      '20 clone(flags=SIGCHLD <unfinished ...>',
      '31 write(1@A, "child of b", 10) = 10',
      '32 write(1@A, "child of a", 10) = 10',
      '20 <... clone resumed>) = 31',
      '10 <... clone resumed>) = 32',
    ]);
    expect(writes.map(({ pid, command }) => [pid, command])).toEqual([
      [31, 'b'],
      [32, 'a'],
    ]);
    expect(processes.map(({ pid, parent }) => [pid, parent])).toEqual([
      [10, null],
      [20, 10],
      [31, 20],
      [32, 10],
    ]);
  });

  test('identifies children by the tracer’s pids inside a pid namespace', () => {
    const { processes } = attribute([
      '10 execve("/bin/a", ["a"], 0x1) = 0',
      "10 clone(flags=CLONE_NEWPID|SIGCHLD) = 2 /* 4871 in strace's PID NS */",
      '4871 execve("/bin/b", ["b"], 0x1) = 0',
    ]);
    expect(processes.map(({ pid, parent, command }) => [pid, parent, command])).toEqual([
      [10, null, 'a'],
      [4871, 10, 'b'],
    ]);
  });

  test('does not confuse the controlling terminal of another session with ours', () => {
    const { writes } = attribute([
      '10 execve("/bin/a", ["a"], 0x1) = 0',
      '10 setsid() = 10',
      '10 clone(flags=SIGCHLD) = 11',
      '11 setsid() = 11',
      '11 clone(flags=SIGCHLD) = 12',
      '12 write(3</dev/tty<char 5:0>>, "inner", 5) = 5',
      '12 write(1</dev/pts/9<char 136:9>>, "inner", 5) = 5',
      '10 write(3</dev/tty<char 5:0>>, "ours", 4) = 4',
    ]);
    expect(writes.map(({ pid, byte_to }) => [pid, byte_to])).toEqual([[10, 4]]);
  });

  test('shortens commands to one line', () => {
    const { processes } = attribute([
      `10 execve("/bin/bash", ["bash", "-c", "echo\\n  \\303\\251 ${'x'.repeat(300)}"..., ...], 0x1) = 0`,
    ]);
    expect(processes[0]?.command).toHaveLength(200);
    expect(processes[0]?.command).toMatch(/^bash -c echo é x+…$/);
    const [fromFile] = attribute(['10 execveat(3</tmp/x>, "", ["prog", "1"], 0x1, AT_EMPTY_PATH) = 0']).processes;
    expect(fromFile?.command).toBe('prog 1');
  });

  test('has full coverage without a recording, and partial coverage for a partial trace', () => {
    expect(attribute([]).summary).toMatchObject({ coverage: 1, traced_bytes: 0 });
    const attribution = createAttribution({ stdout: '/dev/pts/3', stderr: '/dev/pts/4', onWrite() {} });
    attribution.push(Buffer.from(`1 write(1${A}, "ab", 2) = 2\n`));
    expect(attribution.summary(8).coverage).toBe(0.25);
  });

  test('reads damaged traces without failing, with the same result however they are split', () => {
    const traces = ['redirects', 'swapped-with-dup3', 'threads'].map((name) =>
      readTraceFixture(name).subarray(0, 20_000),
    );
    const read = (chunks: Uint8Array[]) => {
      const writes: TracedWrite[] = [];
      const options = { stdout: '/dev/pts/0', stderr: '/dev/pts/1', peek: () => null };
      const attribution = createAttribution({ ...options, onWrite: (write) => writes.push(write) });
      for (const chunk of chunks) attribution.push(chunk);
      attribution.end();
      return { writes, processes: attribution.processes, summary: attribution.summary(0) };
    };
    const damage = fc.record({ at: fc.nat(20_000), cut: fc.nat(300), put: fc.uint8Array({ maxLength: 20 }) });
    fc.assert(
      fc.property(fc.nat(2), fc.array(damage, { minLength: 1, maxLength: 8 }), fc.nat(20_000), (which, damages, at) => {
        let trace = Buffer.from(traces[which] as Buffer);
        for (const { at: place, cut, put } of damages) {
          trace = Buffer.concat([trace.subarray(0, place), put, trace.subarray(place + cut)]);
        }
        expect(read([trace.subarray(0, at), trace.subarray(at)])).toEqual(read([trace]));
      }),
      { numRuns: 60 },
    );
  });
});
