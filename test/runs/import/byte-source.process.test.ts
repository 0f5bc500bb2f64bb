import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ByteSource } from '../../../src/runs/import/byte-source.ts';
import { openFiles, temporaryFolder } from '../../support/tacho.ts';

function file(content: string): string {
  const name = path.join(temporaryFolder(), 'some.log');
  fs.writeFileSync(name, content);
  return name;
}

const contentOf = (source: ByteSource) => Buffer.concat([...source.pieces()].map((piece) => Buffer.from(piece)));

describe('ByteSource', () => {
  test('gives all bytes once, also those that were looked at', () => {
    const content = 'x'.repeat(700_000);
    const source = new ByteSource(file(content));
    expect(source.peek(10).toString()).toBe('x'.repeat(10));
    expect(source.peek(600_000)).toHaveLength(600_000);
    expect(contentOf(source).toString()).toBe(content);
    expect(source.facts()).toMatchObject({ bytes: 700_000 });
    source.close();
  });

  test('follows a link that the user gives', () => {
    const link = path.join(temporaryFolder(), 'latest');
    fs.symlinkSync(file('linked'), link);
    const source = new ByteSource(link);
    expect(contentOf(source).toString()).toBe('linked');
    source.close();
  });

  test('takes the null device as an empty log', () => {
    const source = new ByteSource('/dev/null');
    expect(contentOf(source)).toHaveLength(0);
    source.close();
  });

  test.each([
    ['a folder', () => temporaryFolder(), 'it is a folder'],
    ['an endless device', () => '/dev/zero', 'it is a device'],
    ['a terminal by its name', () => '/dev/ptmx', 'it is a device'],
    ['a missing file', () => '/nonexistent/some.log', 'ENOENT'],
    [
      'a named pipe without a writer',
      () => {
        const pipe = path.join(temporaryFolder(), 'pipe');
        spawnSync('mkfifo', [pipe]);
        return pipe;
      },
      'it is a named pipe or socket, which may never end',
    ],
  ])('refuses %s without waiting, and leaves nothing open', (_what, make, problem) => {
    const before = openFiles();
    const given = make();
    expect(() => new ByteSource(given)).toThrow(
      expect.objectContaining({ code: 'IMPORT_FAILED', message: expect.stringContaining(problem) }),
    );
    expect(openFiles()).toEqual(before);
  });
});
