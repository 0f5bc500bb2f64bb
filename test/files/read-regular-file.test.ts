import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { errnoOf, readRegularFile } from '../../src/files/index.ts';
import { temporaryFolder } from '../support/tacho.ts';

test('a regular file is read whole, up to the limit', () => {
  const file = path.join(temporaryFolder(), 'file');
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (text) => {
      fs.writeFileSync(file, text);
      const bytes = Buffer.byteLength(text);
      expect(readRegularFile(file, { maxBytes: bytes })).toBe(Buffer.from(text).toString());
      if (bytes > 0) expect(() => readRegularFile(file, { maxBytes: bytes - 1 })).toThrow('more than');
    }),
  );
});

test('a pipe, a socket, a folder, a device and a link are refused at once', async () => {
  const folder = temporaryFolder();
  const at = (name: string) => path.join(folder, name);
  execFileSync('mkfifo', [at('pipe')]);
  const server = net.createServer().listen(at('socket'));
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  fs.mkdirSync(at('folder'));
  fs.writeFileSync(at('file'), 'x');
  fs.symlinkSync(at('file'), at('link'));
  const open = fs.readdirSync('/proc/self/fd').length;
  expect(() => readRegularFile(at('pipe'))).toThrow('not a regular file');
  expect(() => readRegularFile(at('socket'))).toThrow('ENXIO');
  expect(() => readRegularFile(at('folder'))).toThrow('not a regular file');
  expect(() => readRegularFile('/dev/zero')).toThrow('not a regular file');
  expect(() => readRegularFile(at('link'))).toThrow('ELOOP');
  expect(() => readRegularFile(at('missing'))).toThrow('ENOENT');
  expect(fs.readdirSync('/proc/self/fd').length).toBe(open);
});

test('the system error is found behind others', () => {
  const cause = Object.assign(new Error('too many'), { code: 'EMFILE' });
  expect(errnoOf(new Error('outer', { cause: new Error('inner', { cause }) }))).toBe('EMFILE');
  expect(errnoOf(Object.assign(new Error('x'), { code: 'RUN_NOT_FOUND' }))).toBeUndefined();
  expect(errnoOf('EMFILE')).toBeUndefined();
});
