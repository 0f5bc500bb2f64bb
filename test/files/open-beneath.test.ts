import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { descriptorPath, openBeneath, walkBeneath } from '../../src/files/open-beneath.ts';
import { temporaryFolder } from '../support/tacho.ts';

const O_PATH = 0o10000000;

function makeFolder(): { folder: string; root: number } {
  const folder = fs.realpathSync(temporaryFolder());
  const at = (name: string) => path.join(folder, name);
  fs.mkdirSync(at('deep/er'), { recursive: true });
  fs.writeFileSync(at('deep/er/file'), 'content');
  fs.symlinkSync('deep/er', at('inside'));
  fs.symlinkSync('../../deep/er/file', at('deep/er/up'));
  fs.symlinkSync('../..', at('deep/out'));
  fs.symlinkSync('/etc', at('absolute'));
  fs.symlinkSync(at('deep'), at('absolute-inside'));
  fs.symlinkSync('/proc/self/root', at('magic'));
  fs.symlinkSync('loop', at('loop'));
  fs.symlinkSync('gone', at('dangling'));
  execFileSync('mkfifo', [at('pipe')]);
  const root = fs.openSync(folder, O_PATH);
  onTestFinished(() => fs.closeSync(root));
  return { folder, root };
}

describe.each([
  ['openat2', openBeneath],
  ['names one at a time', walkBeneath],
])('by %s', (_, open) => {
  /** The file that a name leads to, or the error. */
  function lead(root: number, folder: string, name: string): string {
    let fd: number;
    try {
      fd = open(root, name);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code!;
    }
    try {
      return path.relative(folder, fs.readlinkSync(descriptorPath(fd))) || '.';
    } finally {
      fs.closeSync(fd);
    }
  }

  test.each([
    ['', '.'],
    ['.', '.'],
    ['deep/er/file', 'deep/er/file'],
    ['./deep//er/../er/file', 'deep/er/file'],
    ['deep/er/', 'deep/er'],
    ['inside', 'deep/er'],
    ['inside/file', 'deep/er/file'],
    ['inside/up', 'deep/er/file'],
    ['inside/../out', 'EXDEV'],
    ['pipe', 'pipe'],
    ['..', 'EXDEV'],
    ['deep/../..', 'EXDEV'],
    ['deep/out', 'EXDEV'],
    ['/etc/passwd', 'EXDEV'],
    ['absolute/passwd', 'EXDEV'],
    ['absolute-inside', 'EXDEV'],
    ['magic/etc', 'EXDEV'],
    ['loop', 'ELOOP'],
    ['dangling', 'ENOENT'],
    ['none', 'ENOENT'],
    ['deep/er/file/more', 'ENOTDIR'],
    ['pipe/..', 'ENOTDIR'],
  ])('%j leads to %s', (name, place) => {
    const { folder, root } = makeFolder();
    const before = fs.readdirSync('/proc/self/fd').length;
    expect(lead(root, folder, name)).toBe(place);
    expect(fs.readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
  });
});

test('refuses a name with a NUL, which the C library would truncate', () => {
  const { root } = makeFolder();
  expect(() => openBeneath(root, 'deep\0/../..')).toThrow(expect.objectContaining({ code: 'EINVAL' }));
});
