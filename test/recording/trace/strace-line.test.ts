import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDescriptor, scanArguments } from '../../../src/recording/trace/call-arguments.ts';
import { parseTraceLine } from '../../../src/recording/trace/strace-line.ts';
import { growth, PROPORTIONAL } from '../../support/growth.ts';

const TERMINAL = '/dev/pts/0<char 136:0>';

describe('parseTraceLine', () => {
  test('reads a call with pid and time', () => {
    expect(parseTraceLine(`4860  1794732886.671147 write(1<${TERMINAL}>, "a) = 5, \\"b\\n", 12) = 12`)).toEqual({
      kind: 'call',
      pid: 4860,
      time: 1794732886.671147,
      name: 'write',
      args: [`1<${TERMINAL}>`, '"a) = 5, \\"b\\n"', '12'],
      result: { value: 12, error: null, text: '12' },
    });
  });

  test.each([
    ['write(1, "x", 1) = 1', 0, null],
    ['1700000000.5 write(1, "x", 1) = 1', 0, 1700000000.5],
    ['77 write(1, "x", 1) = 1', 77, null],
    ['[pid  77] write(1, "x", 1) = 1', 77, null],
    ['[pid  77] 1700000000.5 write(1, "x", 1) = 1', 77, 1700000000.5],
    ['77 12:00:01.5 write(1, "x", 1) = 1', 77, null],
    ['     0.000012 write(1, "x", 1) = 1', 0, 0.000012],
  ])('reads the columns of %j', (line, pid, time) => {
    expect(parseTraceLine(line)).toMatchObject({ kind: 'call', pid, time, args: ['1', '"x"', '1'] });
  });

  test.each([
    ['read(0, "", 9)                        = 0', { value: 0, error: null }],
    ['write(1, "x", 1) = -1 EAGAIN (Resource temporarily unavailable)', { value: -1, error: 'EAGAIN' }],
    ['write(1, "x", 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)', { value: null, error: 'ERESTARTSYS' }],
    ['write(1, "x", 1) = ?', { value: null, error: null }],
    ['write(1, "x", 1 <unfinished ...>) = ?', { value: null, error: null }],
    ['fcntl(1, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)', { value: 0x8002, error: null }],
    ['openat(AT_FDCWD</a>, "b", O_RDONLY) = 3</a/b) = 9>', { value: 3, error: null }],
    ["clone(child_stack=NULL, flags=SIGCHLD) = 2 /* 4871 in strace's PID NS */", { value: 2, error: null }],
  ])('reads the result of %j', (line, result) => {
    expect(parseTraceLine(line)).toMatchObject({ kind: 'call', result });
  });

  test('reads the two halves of a call', () => {
    expect(parseTraceLine(`7 write(2<${TERMINAL}>, "ab", 2 <unfinished ...>`)).toEqual({
      kind: 'unfinished',
      pid: 7,
      time: null,
      name: 'write',
      args: [`2<${TERMINAL}>`, '"ab"', '2'],
    });
    expect(parseTraceLine('7 <... write resumed>)              = 14')).toEqual({
      kind: 'resumed',
      pid: 7,
      time: null,
      name: 'write',
      result: { value: 14, error: null, text: '14' },
    });
    expect(parseTraceLine('7 <... clone3 resumed> => {parent_tid=[4852]}, 88) = 4852')).toMatchObject({
      kind: 'resumed',
      name: 'clone3',
      result: { value: 4852 },
    });
    expect(parseTraceLine('7 write(1, "ab", 2 <detached ...>')).toMatchObject({ kind: 'unfinished', name: 'write' });
  });

  test.each([
    ['7 +++ exited with 3 +++', { kind: 'exit', pid: 7, time: null, code: 3, signal: null }],
    [
      '7 1.5 +++ killed by SIGSEGV (core dumped) +++',
      { kind: 'exit', pid: 7, time: 1.5, code: null, signal: 'SIGSEGV' },
    ],
    ['7 +++ superseded by execve in pid 9 +++', { kind: 'superseded', pid: 7, time: null, by: 9 }],
    ['7 --- SIGCHLD {si_signo=SIGCHLD, si_pid=9} ---', { kind: 'signal', pid: 7, time: null, signal: 'SIGCHLD' }],
    [' | 00000  7b 22 6b 22 3a 30 2c 22  69 22 3a 30 7d 0a        {"k":0,"i":0}.   |', { kind: 'dump' }],
    ['strace: Process 12 attached', { kind: 'message', text: 'strace: Process 12 attached' }],
    ['[ Process PID=12 runs in 32 bit mode. ]', { kind: 'message', text: '[ Process PID=12 runs in 32 bit mode. ]' }],
  ])('reads %j', (line, expected) => {
    expect(parseTraceLine(line)).toEqual(expected);
  });

  test.each([
    'garbage',
    '7 write(1, "abc',
    '7 write(1, "abc", 3',
    '7 write(1, "abc", 3)',
    '7 write(1, "abc", 3) =',
    '7 write(1, "abc", 3) = x',
    '7 <... write resumed>',
    '7 <... write resu',
    '7 +++ exited wi',
    '7',
    '\u0000',
  ])('reports %j as unreadable', (line) => {
    expect(parseTraceLine(line).kind).toBe('unreadable');
  });

  test('skips other calls without parsing them', () => {
    expect(parseTraceLine('7 mmap(0x1 <unfinished ...>', () => false)).toEqual({
      kind: 'skipped',
      pid: 7,
      time: null,
      name: 'mmap',
      unfinished: true,
    });
  });

  test('accepts any text without failing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (line) => void parseTraceLine(line)));
  });

  test('reads unclosed decorations in linear time', () => {
    for (const opened of ['7 write(1<', '7 write("\\"']) {
      const line = (times: number) => opened.slice(0, -2) + opened.slice(-2).repeat(times);
      expect(
        growth(20_000, (times) => void parseTraceLine(line(times))),
        opened,
      ).toBeLessThan(PROPORTIONAL);
    }
  });
});

describe('scanArguments', () => {
  test('splits at the top level only', () => {
    const text = 'AT_FDCWD</a, b>, [{iov_base="x, y", iov_len=4}, ...], FLAG(1, 2), /* 3 vars */) = 0';
    expect(scanArguments(text, 0)?.args).toEqual([
      'AT_FDCWD</a, b>',
      '[{iov_base="x, y", iov_len=4}, ...]',
      'FLAG(1, 2)',
      '/* 3 vars */',
    ]);
  });

  test('finds no argument in empty parentheses', () => {
    expect(scanArguments(') = 1', 0)).toEqual({ args: [], end: 0, closed: true });
  });
});

describe('readDescriptor', () => {
  test.each([
    ['3', { fd: 3, path: null }],
    [`1<${TERMINAL}>`, { fd: 1, path: '/dev/pts/0' }],
    ['7</dev/tty<char 5:0>>', { fd: 7, path: '/dev/tty' }],
    ['5<pipe:[28124]>', { fd: 5, path: 'pipe:[28124]' }],
    ['6<TCP:[127.0.0.1:5->127.0.0.1:6]>', { fd: 6, path: 'TCP:[127.0.0.1:5->127.0.0.1:6]' }],
    ['4</a path with <odd> chars>', { fd: 4, path: '/a path with <odd> chars' }],
    ['4</tmp/a \\74b\\76 \\"c) = 5 ->', { fd: 4, path: '/tmp/a <b> "c) = 5 -' }],
    ['AT_FDCWD</tmp>', { fd: -100, path: '/tmp' }],
    ['NULL', null],
    ['', null],
  ])('%j is %j', (text, expected) => {
    expect(readDescriptor(text)).toEqual(expected);
  });

  test('finds the end of odd paths within a call', () => {
    const call = 'dup2(3</tmp/a->, 0</tmp/x <y)z> "q>) = 0';
    expect(scanArguments(call, 5)?.args).toEqual(['3</tmp/a->', '0</tmp/x <y)z> "q>']);
  });
});
