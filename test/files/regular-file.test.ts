import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  appendRegularFile,
  errnoOf,
  openRegularFile,
  openRegularHandle,
  readRegularFile,
} from '../../src/files/index.ts';
import { smallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/tacho.ts';

test('a regular file is read completely, up to the limit', () => {
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
  expect(fs.readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(open);
});

test('other file types are neither written to nor replaced, in any mode', async () => {
  const folder = temporaryFolder();
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const link = path.join(folder, 'link');
  fs.symlinkSync(path.join(folder, 'elsewhere'), link);
  for (const purpose of ['read', 'append', 'update'] as const) {
    expect(() => openRegularFile(pipe, purpose)).toThrow('not a regular file');
    expect(() => openRegularFile(link, purpose)).toThrow('ELOOP');
  }
  for (const there of [pipe, link]) expect(() => openRegularFile(there, 'create')).toThrow('EEXIST');
  await expect(openRegularHandle(pipe)).rejects.toThrow('not a regular file');
  expect(fs.readdirSync(folder).sort()).toEqual(['link', 'pipe']);
});

test('a link in place of a folder of a record is not followed', async () => {
  const folder = temporaryFolder();
  fs.mkdirSync(path.join(folder, 'other'));
  fs.writeFileSync(path.join(folder, 'other/file'), 'x');
  fs.symlinkSync('other', path.join(folder, '.audit'));
  const file = path.join(folder, '.audit/file');
  expect(() => readRegularFile(file)).toThrow('is not a folder');
  expect(() => openRegularFile(path.join(folder, '.audit/new'), 'create')).toThrow('is not a folder');
  await expect(openRegularHandle(file)).rejects.toThrow('is not a folder');
});

test('a link that replaces a folder of a record meanwhile is not followed', async () => {
  const folder = temporaryFolder();
  const at = (name: string) => path.join(folder, name);
  for (const name of ['.audit', '.audit/blobs', 'other', 'other/blobs']) fs.mkdirSync(at(name));
  for (const name of ['.audit', 'other']) fs.writeFileSync(at(`${name}/blobs/file`), name);
  const { openSync } = fs;
  const opening = vi.spyOn(fs, 'openSync').mockImplementation((place, ...rest) => {
    if (String(place).endsWith('/file')) {
      fs.renameSync(at('.audit'), at('moved'));
      fs.symlinkSync('other', at('.audit'));
    }
    return openSync(place, ...rest);
  });
  onTestFinished(() => opening.mockRestore());
  expect(readRegularFile(at('.audit/blobs/file'))).toBe('.audit');
  expect(() => readRegularFile(at('.audit/blobs/file'))).toThrow(`${at('.audit')} is not a folder`);
});

test('nothing is appended partially on a full disk', () => {
  const file = path.join(smallDisk('1m'), 'file');
  appendRegularFile(file, 'first\n');
  expect(() => appendRegularFile(file, 'x'.repeat(4_000_000))).toThrow('ENOSPC');
  expect(readRegularFile(file)).toBe('first\n');
});

test('the system error is found in the chain of causes', () => {
  const cause = Object.assign(new Error('too many'), { code: 'EMFILE' });
  expect(errnoOf(new Error('outer', { cause: new Error('inner', { cause }) }))).toBe('EMFILE');
  expect(errnoOf(Object.assign(new Error('x'), { code: 'RUN_NOT_FOUND' }))).toBeUndefined();
  expect(errnoOf('EMFILE')).toBeUndefined();
});
