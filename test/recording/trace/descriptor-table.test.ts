import { describe, expect, test } from 'vitest';
import { DescriptorTable } from '../../../src/recording/trace/descriptor-table.ts';
import { parseTraceLine } from '../../../src/recording/trace/strace-line.ts';

const TERMINAL = '</dev/pts/0<char 136:0>>';

function apply(table: DescriptorTable, ...lines: string[]): DescriptorTable {
  for (const line of lines) {
    const call = parseTraceLine(line.replaceAll('@', TERMINAL));
    if (call.kind !== 'call') throw new Error(`not a call: ${line}`);
    table.apply(call, call.result);
  }
  return table;
}

function streams(table: DescriptorTable, ...descriptors: number[]) {
  return descriptors.map((fd) => table.streamOf(fd));
}

function first(): DescriptorTable {
  return DescriptorTable.standard({ isFirst: true });
}

describe('DescriptorTable', () => {
  test('starts with stdout and stderr on 1 and 2', () => {
    expect(streams(first(), 0, 1, 2, 3)).toEqual([null, 'stdout', 'stderr', null]);
  });

  test('assigns the stream to a reopened terminal that is duplicated over a descriptor', () => {
    const table = apply(
      first(),
      'openat(AT_FDCWD</tmp>, "/dev/pts/0", O_RDWR|O_NOCTTY|O_CLOEXEC) = 18@',
      'dup3(18@, 2@, O_CLOEXEC) = 2@',
      'openat(AT_FDCWD</tmp>, "/dev/pts/0", O_RDWR|O_NOCTTY|O_CLOEXEC) = 20@',
      'dup3(20@, 1@, O_CLOEXEC) = 1@',
    );
    expect(streams(table, 18, 2, 20, 1)).toEqual(['stderr', 'stderr', 'stdout', 'stdout']);
  });

  test('follows a shell that saves, replaces and restores its stdout', () => {
    const table = apply(first(), 'fcntl(1@, F_DUPFD, 10) = 11@', 'dup2(2@, 1@) = 1@');
    expect(streams(table, 11, 1)).toEqual(['stdout', 'stderr']);
    apply(table, 'dup2(11@, 1@) = 1@', 'close(11@) = 0');
    expect(streams(table, 11, 1)).toEqual([null, 'stdout']);
  });

  test('follows the swap of both streams', () => {
    const table = apply(first(), 'dup2(1@, 3) = 3@', 'dup2(2@, 1@) = 1@', 'dup2(3@, 2@) = 2@');
    expect(streams(table, 1, 2)).toEqual(['stderr', 'stdout']);
  });

  test('keeps 2>&1 on stdout when the terminal is reopened later', () => {
    const table = apply(
      first(),
      'dup2(1@, 2@) = 2@',
      'openat(AT_FDCWD, "/dev/pts/0", O_RDWR) = 18@',
      'dup3(18@, 2@, 0) = 2@',
    );
    expect(streams(table, 2, 18)).toEqual(['stdout', 'stdout']);
  });

  test('keeps the meaning of each descriptor when one terminal is duplicated over 0, 1 and 2', () => {
    const table = apply(
      first(),
      'open("/dev/pts/0", O_RDWR) = 5@',
      'dup2(5@, 0@) = 0@',
      'dup2(5@, 1@) = 1@',
      'dup2(5@, 2@) = 2@',
    );
    expect(streams(table, 1, 2, 5)).toEqual(['stdout', 'stderr', null]);
  });

  test('assigns no stream to a pipe, and recognises the terminal when it is restored', () => {
    const table = apply(first(), 'dup(1@) = 9@', 'dup2(4<pipe:[7]>, 1@) = 1<pipe:[7]>');
    expect(table.streamOf(4)).toBeNull();
    apply(table, 'dup2(9@, 1<pipe:[7]>) = 1@');
    expect(table.streamOf(1)).toBe('stdout');
  });

  test('assumes without decorations that an unknown descriptor is not a terminal', () => {
    const table = apply(first(), 'dup2(4, 1) = 1');
    expect(table.fileOf({ fd: 1, path: null }).isTerminal).toBe(false);
    expect(table.fileOf({ fd: 2, path: null }).isTerminal).toBe(true);
  });

  test('closes close-on-exec descriptors when another program is run', () => {
    const table = apply(
      first(),
      'fcntl(1@, F_DUPFD_CLOEXEC, 10) = 10@',
      'fcntl(2@, F_DUPFD, 11) = 11@',
      'dup3(1@, 12, O_CLOEXEC) = 12@',
      'dup(2@) = 13@',
      'fcntl(13@, F_SETFD, FD_CLOEXEC) = 0',
      'fcntl(10@, F_SETFD, 0) = 0',
    );
    table.exec();
    expect(streams(table, 10, 11, 12, 13)).toEqual(['stdout', 'stderr', null, null]);
  });

  test('closes ranges', () => {
    const table = apply(
      first(),
      'dup2(1@, 10) = 10@',
      'dup2(2@, 20) = 20@',
      'close_range(10, 15, 0) = 0',
      'close_range(16, 4294967295, CLOSE_RANGE_CLOEXEC) = 0',
    );
    expect(streams(table, 10, 20)).toEqual([null, 'stderr']);
    table.exec();
    expect(table.streamOf(20)).toBeNull();
  });

  test('changes nothing for calls that failed', () => {
    const table = apply(
      first(),
      'close(1@) = -1 EBADF (Bad file descriptor)',
      'dup2(1@, 2@) = ? ERESTARTSYS (To be restarted)',
    );
    expect(streams(table, 1, 2)).toEqual(['stdout', 'stderr']);
  });

  test('gives a child its own table', () => {
    const parent = first();
    const child = parent.copy();
    apply(child, 'dup2(2@, 1@) = 1@');
    expect([parent.streamOf(1), child.streamOf(1)]).toEqual(['stdout', 'stderr']);
  });
});
