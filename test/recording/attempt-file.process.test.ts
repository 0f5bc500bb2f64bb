import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { appendAll, createAttemptFile, writeWhole } from '../../src/recording/index.ts';
import { makeReadOnly, smallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from './recording.ts';

describe('createAttemptFile', () => {
  test('refuses an existing file, and a link', () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'stdout.1.log');
    fs.closeSync(createAttemptFile(file));
    expect(() => createAttemptFile(file)).toThrow(expect.objectContaining({ code: 'RECORDING_FAILED' }));
    const link = path.join(folder, 'stderr.1.log');
    fs.symlinkSync(path.join(folder, 'elsewhere'), link);
    expect(() => createAttemptFile(link)).toThrow(expect.objectContaining({ code: 'RECORDING_FAILED' }));
    expect(fs.existsSync(path.join(folder, 'elsewhere'))).toBe(false);
  });
});

describe('appendAll', () => {
  test('writes all pieces in order, also more than one system call takes', () => {
    const folder = temporaryFolder();
    let count = 0;
    const some = fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 20 });
    fc.assert(
      fc.property(some, some, (one, other) => {
        const file = path.join(folder, `${count++}`);
        const fd = createAttemptFile(file);
        appendAll(fd, one, file);
        appendAll(fd, other, file);
        fs.closeSync(fd);
        expect(fs.readFileSync(file)).toEqual(Buffer.concat([...one, ...other]));
      }),
    );
    const file = path.join(folder, 'many');
    const fd = createAttemptFile(file);
    appendAll(
      fd,
      Array.from({ length: 5000 }, (_, index) => Buffer.from(`${index} `)),
      file,
    );
    fs.closeSync(fd);
    expect(fs.readFileSync(file, 'utf8').trim().split(' ').map(Number)).toEqual(
      Array.from({ length: 5000 }, (_, index) => index),
    );
  });

  test('continues after a short write until the disk is full, and then reports it', () => {
    const disk = smallDisk('64k');
    const file = path.join(disk, 'stdout.1.log');
    const fd = createAttemptFile(file);
    const pieces = [Buffer.alloc(30_000, 'a'), Buffer.alloc(30_000, 'b'), Buffer.alloc(30_000, 'c')];
    expect(() => appendAll(fd, pieces, file)).toThrow(
      expect.objectContaining({ code: 'DISK_FULL', facts: { path: file, errno: 'ENOSPC' } }),
    );
    fs.closeSync(fd);
    const kept = fs.readFileSync(file);
    expect(kept).toEqual(Buffer.concat(pieces).subarray(0, kept.length));
  });
});

describe('writeWhole', () => {
  test('replaces or refuses an existing file as requested, and leaves no partial file', () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'meta.1.json');
    writeWhole(file, 'one', { replace: false });
    expect(() => writeWhole(file, 'two', { replace: false })).toThrow(
      expect.objectContaining({ code: 'RECORDING_FAILED' }),
    );
    expect(fs.readFileSync(file, 'utf8')).toBe('one');
    writeWhole(file, 'three', { replace: true });
    expect(fs.readFileSync(file, 'utf8')).toBe('three');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(folder)).toEqual(['meta.1.json']);
  });

  test('keeps the old content if there is no space for the new', () => {
    const disk = smallDisk('64k');
    const file = path.join(disk, '.run.json');
    writeWhole(file, 'old', { replace: true });
    expect(() => writeWhole(file, 'x'.repeat(100_000), { replace: true })).toThrow(
      expect.objectContaining({ code: 'DISK_FULL' }),
    );
    expect(fs.readFileSync(file, 'utf8')).toBe('old');
    expect(fs.readdirSync(disk)).toEqual(['.run.json']);
  });

  test('reports a folder that is not writable', () => {
    const disk = smallDisk('64k');
    makeReadOnly(disk);
    expect(() => writeWhole(path.join(disk, 'x'), 'x', { replace: true })).toThrow(
      expect.objectContaining({ code: 'RUN_FOLDER_READ_ONLY' }),
    );
  });
});
