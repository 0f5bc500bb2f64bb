import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Reconstruction, reconstructStreams } from '../../../src/recording/trace/reconstruct-streams.ts';
import { agent, readTraceFixture, traceFixture } from './fixtures.ts';
import { traceOnOneTerminal } from './one-terminal.ts';

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'tacho-reconstruct-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

function textOf(chunks: Reconstruction['stdoutChunks']): string {
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString('latin1');
}

function codes({ diagnostics }: Pick<Reconstruction, 'diagnostics'>): string[] {
  return diagnostics.map(({ code }) => code);
}

const SWAPPED = { stdout: '{"answer":42,"text":"on stdout"}\n', stderr: 'warming up\ndone\n' };
const REDIRECTED = {
  stdout: 'out-1\nout-2\nout-3\nout-4\nout-5\nout-6\nout-7\nout-7b\nout-8\nout-9 captured\n',
  stderr: 'err-1\nerr-2\nerr-3\nerr-4\nerr-5\nerr-8\n',
};

function expectAllThreads(chunks: Reconstruction['stdoutChunks'], parity: number): void {
  const lines = chunks.map(({ bytes }) => JSON.parse(bytes.toString()) as [number, number]);
  const threads = [0, 1, 2, 3, 4, 5, 6, 7].filter((thread) => thread % 2 === parity);
  for (const thread of threads) {
    const own = lines.filter(([writer]) => writer === thread).map(([, line]) => line);
    expect(own).toEqual(Array.from({ length: 200 }, (_, line) => line));
  }
  expect(lines).toHaveLength(800);
}

describe('a recorded trace', () => {
  test('of a program that reopened the terminal is split by its JSON, as a guess', async () => {
    const result = await reconstructStreams(traceFixture('swapped-writes-only'));
    expect(textOf(result.stdoutChunks)).toBe(SWAPPED.stdout);
    expect(textOf(result.stderrChunks)).toBe(SWAPPED.stderr);
    expect(codes(result)).toEqual(['STREAM_GUESSED', 'STREAM_GUESSED']);
  });

  test('with the calls that moved the descriptors needs no guess', async () => {
    const result = await reconstructStreams(traceFixture('swapped-with-dup3'));
    expect(textOf(result.stdoutChunks)).toBe(SWAPPED.stdout);
    expect(textOf(result.stderrChunks)).toBe(SWAPPED.stderr);
    expect(result.stdoutChunks[0]?.fd).toBeGreaterThan(2);
    expect(result.diagnostics).toEqual([]);
  });

  test('of eight threads gives all 1,600 writes, interrupted or not', async () => {
    expect(readTraceFixture('threads').includes('<unfinished ...>')).toBe(true);
    const result = await reconstructStreams(traceFixture('threads'));
    expect(result.writes).toBe(1600);
    expect(result.diagnostics).toEqual([]);
    expectAllThreads(result.stdoutChunks, 1);
    expectAllThreads(result.stderrChunks, 0);
  });

  test('with truncated strings gives the available bytes and reports the missing ones', async () => {
    const result = await reconstructStreams(traceFixture('long-write'));
    expect(textOf(result.stdoutChunks)).toBe(`{"type":"x","text":"${'A'.repeat(32_768 - 20)}`);
    expect(result.truncated).toEqual({ writes: 1, bytes: 70_023 - 32_768 });
    expect(codes(result)).toEqual(['BYTES_MISSING']);
  });

  test('of short writes counts each byte once', async () => {
    const result = await reconstructStreams(traceFixture('partial-writes'));
    expect(result.writes).toBeGreaterThan(1);
    expect(textOf(result.stdoutChunks)).toBe(`{"t":"${'q'.repeat(40_000)}"}\n`);
    expect(result.truncated).toEqual({ writes: 0, bytes: 0 });
  });

  test('of writev gives every byte value', async () => {
    const result = await reconstructStreams(traceFixture('writev'));
    const bytes = String.fromCharCode(...Array.from({ length: 256 }, (_, n) => n));
    expect(textOf(result.stdoutChunks)).toBe(`{"type":"a"}\n${bytes}`);
    expect(textOf(result.stderrChunks)).toBe('tail "quoted" \\ 7\n');
    expect(result.stdoutChunks[0]?.time).toBeGreaterThan(1.7e9);
  });

  test.each(['redirects', 'redirects-undecorated'])(
    'of a shell that redirects its streams is exact (%s)',
    async (name) => {
      const result = await reconstructStreams(traceFixture(name));
      expect(textOf(result.stdoutChunks)).toBe(REDIRECTED.stdout);
      expect(textOf(result.stderrChunks)).toBe(REDIRECTED.stderr);
      expect(result.diagnostics).toEqual([]);
    },
  );

  test('without pids is read as one process', async () => {
    const result = await reconstructStreams(traceFixture('one-process'));
    expect([textOf(result.stdoutChunks), textOf(result.stderrChunks)]).toEqual(['out\n', 'err\n']);
    expect(result.stdoutChunks[0]?.pid).toBe(0);
  });

  test('is written to two files on request', async () => {
    const stdoutPath = path.join(folder, 'stdout.log');
    const stderrPath = path.join(folder, 'stderr.log');
    const result = await reconstructStreams(traceFixture('threads'), stdoutPath, stderrPath);
    const memory = await reconstructStreams(traceFixture('threads'));
    expect(fs.readFileSync(stdoutPath, 'latin1')).toBe(textOf(memory.stdoutChunks));
    expect(fs.readFileSync(stderrPath, 'latin1')).toBe(textOf(memory.stderrChunks));
    const withoutBytes = memory.stdoutChunks.map(({ bytes: _bytes, ...chunk }) => chunk);
    expect(result.stdoutChunks).toEqual(withoutBytes);
  });

  test('that does not exist is refused without hanging', async () => {
    const missing = path.join(folder, 'missing.log');
    const out = path.join(folder, 'out');
    await expect(reconstructStreams(missing)).rejects.toThrow(/ENOENT/);
    await expect(reconstructStreams(missing, out, path.join(folder, 'err'))).rejects.toThrow(/ENOENT/);
    await expect(reconstructStreams(traceFixture('writev'), path.join(folder, 'no/out'), out)).rejects.toThrow(
      /ENOENT/,
    );
  });

  test('gives the same result from a file, from pieces and from lines', async () => {
    const trace = readTraceFixture('redirects');
    const whole = await reconstructStreams(traceFixture('redirects'));
    expect(await reconstructStreams(trace.toString('latin1').split('\n').slice(0, -1))).toEqual(whole);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(trace.length), { maxLength: 40 }), async (cuts) => {
        const at = [0, ...cuts.sort((one, other) => one - other), trace.length];
        const pieces = at.slice(1).map((end, index) => trace.subarray(at[index], end));
        expect(await reconstructStreams(pieces)).toEqual(whole);
      }),
      { numRuns: 10 },
    );
  });
});

describe('single lines', () => {
  const T = '</dev/pts/0<char 136:0>>';

  test('leave out writes to other files', async () => {
    const result = await reconstructStreams([
      `1 write(1${T}, "ours", 4) = 4`,
      '1 write(5</dev/pts/7<char 136:7>>, "nested", 6) = 6',
      '1 write(1</tmp/file>, "file", 4) = 4',
      '1 write(1<pipe:[5]>, "pipe", 4) = 4',
      `1 write(1${T}, "fails", 5) = -1 EAGAIN (Resource temporarily unavailable)`,
    ]);
    expect(textOf(result.stdoutChunks)).toBe('ours');
    expect(result.writes).toBe(1);
    expect(codes(result)).toEqual(['OTHER_TERMINAL']);
  });

  test('count bytes that the kernel moved without showing them', async () => {
    const result = await reconstructStreams([
      `1 sendfile(1${T}, 3</tmp/file>, NULL, 4096) = 100`,
      `1 splice(3<pipe:[9]>, NULL, 1${T}, NULL, 4096, 0) = 10`,
      `1 copy_file_range(3</tmp/file>, NULL, 1${T}, NULL, 4096, 0) = 1`,
    ]);
    expect(result).toMatchObject({ writes: 3, truncated: { writes: 3, bytes: 111 } });
  });

  test('of a vector with truncated strings count by their lengths', async () => {
    const result = await reconstructStreams([
      `1 writev(1${T}, [{iov_base="abc"..., iov_len=10}, {iov_base="xyz", iov_len=3}, {"old", 3}], 3) = 14`,
    ]);
    expect(textOf(result.stdoutChunks)).toBe('abcxyzo');
    expect(result.truncated).toEqual({ writes: 1, bytes: 7 });
  });

  test('follow descriptors into children, threads and programs', async () => {
    const result = await reconstructStreams([
      `1 fcntl(2${T}, F_DUPFD, 10) = 10${T}`,
      `1 fcntl(2${T}, F_DUPFD_CLOEXEC, 11) = 11${T}`,
      '1 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>',
      `2 write(10${T}, "child ", 6) = 6`,
      '1 <... clone resumed>, child_tidptr=0x7) = 2',
      `2 close(10${T}) = 0`,
      '2 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD}, 88) = 3',
      `3 dup2(2${T}, 12) = 12${T}`,
      `2 write(12${T}, "thread ", 7) = 7`,
      `1 write(10${T}, "parent ", 7) = 7`,
      '1 execve("/bin/x", ["x"], 0x1 /* 2 vars */) = 0',
      `1 write(10${T}, "kept", 4) = 4`,
    ]);
    expect(textOf(result.stderrChunks)).toBe('child thread parent kept');
    expect(result.diagnostics).toEqual([]);
  });

  test('that are unresolved get the free stream, in order', async () => {
    const lines = [
      `1 write(18${T}, "a\\n", 2) = 2`,
      `1 write(20${T}, "b\\n", 2) = 2`,
      `1 write(18${T}, "c\\n", 2) = 2`,
    ];
    const result = await reconstructStreams(lines);
    expect([textOf(result.stdoutChunks), textOf(result.stderrChunks)]).toEqual(['a\nc\n', 'b\n']);
    const beside = await reconstructStreams([`1 write(1${T}, "out\\n", 4) = 4`, ...lines.slice(0, 1)]);
    expect([textOf(beside.stdoutChunks), textOf(beside.stderrChunks)]).toEqual(['out\n', 'a\n']);
  });

  test('that are unresolved are not held indefinitely', async () => {
    const line = `1 write(18${T}, "${'z'.repeat(1000)}", 1000) = 1000`;
    const lines = [...Array.from({ length: 2000 }, () => line), `1 write(20${T}, "{}\\n", 3) = 3`];
    const result = await reconstructStreams(lines);
    expect(result.stdoutChunks).toHaveLength(2000);
    expect(textOf(result.stderrChunks)).toBe('{}\n');
  });
});

describe('a fresh trace', () => {
  const DESCRIPTORS = 'dup,dup2,dup3,fcntl,openat,close,close_range,clone,clone3,fork,vfork,execve';

  test('gives the bytes that the program wrote', async () => {
    const trace = path.join(folder, 'live.log');
    const options = `-f -yy -s 65535 -ttt -e trace=write,writev,${DESCRIPTORS}`;
    traceOnOneTerminal(trace, options, `${process.execPath} '${agent('trace-swapped-streams.mjs')}'`);
    const node = await reconstructStreams(trace);
    expect([textOf(node.stdoutChunks), textOf(node.stderrChunks)]).toEqual([SWAPPED.stdout, SWAPPED.stderr]);
    expect(node.diagnostics).toEqual([]);
    traceOnOneTerminal(trace, options, `bash '${agent('trace-redirects.sh')}'`);
    const bash = await reconstructStreams(trace);
    expect([textOf(bash.stdoutChunks), textOf(bash.stderrChunks)]).toEqual([REDIRECTED.stdout, REDIRECTED.stderr]);
  });

  test('loses no write of eight threads', async () => {
    const trace = path.join(folder, 'threads.log');
    traceOnOneTerminal(trace, '-f -yy -s 65535 -e trace=write', `${process.execPath} '${agent('trace-threads.mjs')}'`);
    const result = await reconstructStreams(trace);
    expect(result.writes).toBe(1600);
    expectAllThreads(result.stdoutChunks, 1);
    expectAllThreads(result.stderrChunks, 0);
  });
});

describe('a damaged trace', () => {
  test('never fails, and never gives bytes that were not written', async () => {
    const trace = readTraceFixture('writev');
    const damage = fc.record({ at: fc.nat(trace.length), cut: fc.nat(200), put: fc.uint8Array({ maxLength: 20 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 6 }), async (damages) => {
        let bytes = trace;
        for (const { at, cut, put } of damages)
          bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]);
        const { stdoutChunks, stderrChunks, writes } = await reconstructStreams([bytes]);
        expect(writes).toBe(stdoutChunks.length + stderrChunks.length);
      }),
    );
  });

  test('of arbitrary bytes never fails', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 4 }), async (pieces) => {
        await reconstructStreams(pieces);
      }),
    );
  });
});
