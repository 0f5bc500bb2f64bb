import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTraceReader } from '../../../src/recording/trace/trace-reader.ts';
import { readTraceFixture } from './fixtures.ts';

function readTrace(chunks: Iterable<Uint8Array>) {
  const calls: unknown[] = [];
  const reader = createTraceReader({
    wanted: () => true,
    entered: ({ pid, name, args }) => calls.push(['entered', pid, name, args]),
    returned: ({ pid, name }, { value, error }) => calls.push(['returned', pid, name, value, error]),
    exited: (pid, _time, exit) => calls.push(['exited', pid, exit]),
    superseded: (pid, by) => calls.push(['superseded', pid, by]),
    report: (code, _detail, line) => calls.push([code, line]),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return calls;
}

function readLines(...lines: string[]) {
  return readTrace([Buffer.from(lines.map((line) => `${line}\n`).join(''))]);
}

describe('createTraceReader', () => {
  test('joins calls printed in two halves', () => {
    expect(
      readLines('1 write(1, "a", 1 <unfinished ...>', '2 write(2, "b", 1) = 1', '1 <... write resumed>) = 1'),
    ).toEqual([
      ['entered', 1, 'write', ['1', '"a"', '1']],
      ['entered', 2, 'write', ['2', '"b"', '1']],
      ['returned', 2, 'write', 1, null],
      ['returned', 1, 'write', 1, null],
    ]);
  });

  test('reports halves whose other half is missing', () => {
    expect(readLines('1 <... write resumed>) = 1', '2 write(1, "a", 1 <unfinished ...>', '2 close(3) = 0')).toEqual([
      ['CALL_WITHOUT_START', 1],
      ['entered', 2, 'write', ['1', '"a"', '1']],
      ['CALL_WITHOUT_END', 3],
      ['returned', 2, 'write', null, null],
      ['entered', 2, 'close', ['3']],
      ['returned', 2, 'close', 0, null],
    ]);
  });

  test('ends the call in which a process died', () => {
    expect(readLines('1 write(1, "a", 1 <unfinished ...>', '1 +++ killed by SIGKILL +++')).toEqual([
      ['entered', 1, 'write', ['1', '"a"', '1']],
      ['returned', 1, 'write', null, null],
      ['exited', 1, { code: null, signal: 'SIGKILL' }],
    ]);
  });

  test('follows a thread that replaces its process by exec', () => {
    expect(
      readLines(
        '9 execve("/a", ["a"], 0x1 <unfinished ...>',
        '7 +++ superseded by execve in pid 9 +++',
        '7 <... execve resumed>) = 0',
      ),
    ).toEqual([
      ['entered', 9, 'execve', ['"/a"', '["a"]', '0x1']],
      ['superseded', 7, 9],
      ['returned', 7, 'execve', 0, null],
    ]);
  });

  test('reports garbage, messages and a truncated last line by line number', () => {
    expect(readTrace([Buffer.from('strace: hello\n\ngarbage\n | 00000 41\n1 write(1, "a", 10) = 1')])).toEqual([
      ['TRACER_MESSAGE', 1],
      ['LINE_UNREADABLE', 3],
      ['LINE_CUT', 5],
    ]);
  });

  test('accepts an exit as the last line without a line feed', () => {
    expect(readTrace([Buffer.from('1 +++ exited with 0 +++')])).toEqual([['exited', 1, { code: 0, signal: null }]]);
  });

  test('skips an endless line and continues after it', () => {
    const endless = Buffer.alloc(1024 * 1024, 'x');
    const chunks = [...Array.from({ length: 17 }, () => endless), Buffer.from('\n1 +++ exited with 0 +++\n')];
    expect(readTrace(chunks)).toEqual([
      ['LINE_TOO_LONG', 1],
      ['exited', 1, { code: 0, signal: null }],
    ]);
  });

  test('reads the same from a trace however it is split', () => {
    const trace = readTraceFixture('redirects').subarray(0, 12_000);
    const whole = readTrace([trace]);
    fc.assert(
      fc.property(fc.array(fc.nat(trace.length), { maxLength: 60 }), (cuts) => {
        const at = [0, ...cuts.sort((one, other) => one - other), trace.length];
        const chunks = at.slice(1).map((end, index) => trace.subarray(at[index], end));
        expect(readTrace(chunks)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
    expect(readTrace(Array.from(trace, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  test('accepts any bytes without failing', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 500 }), { maxLength: 5 }), (chunks) => void readTrace(chunks)),
    );
  });
});
