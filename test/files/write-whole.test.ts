import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOnce, writeWhole } from '../../src/files/index.ts';
import { smallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/tacho.ts';

describe('writeWhole', () => {
  test('the file has exactly the last content, and the folder has no other files', () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'a file');
    const content = fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(content, fc.boolean(), (contents, durable) => {
        for (const bytes of contents) writeWhole(file, bytes, { durable });
        expect(fs.readFileSync(file)).toEqual(Buffer.from(contents.at(-1)!));
        expect(fs.readdirSync(folder)).toEqual(['a file']);
      }),
      { numRuns: 20 },
    );
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a failed write keeps the old content and removes its temporary file', () => {
    const disk = smallDisk('64k');
    const file = path.join(disk, 'file');
    writeWhole(file, 'old');
    expect(() => writeWhole(file, 'x'.repeat(100_000), { durable: true })).toThrow('ENOSPC');
    expect(fs.readFileSync(file, 'utf8')).toBe('old');
    expect(fs.readdirSync(disk)).toEqual(['file']);
  });

  test('replaces a link instead of writing through it', () => {
    const folder = temporaryFolder();
    const [target, link] = ['target', 'link'].map((name) => path.join(folder, name)) as [string, string];
    fs.writeFileSync(target, 'untouched');
    fs.symlinkSync(target, link);
    writeWhole(link, 'new');
    expect(fs.readFileSync(target, 'utf8')).toBe('untouched');
    expect(fs.lstatSync(link).isFile()).toBe(true);
  });
});

describe('createOnce', () => {
  test('keeps the first content', () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'file');
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), (contents) => {
        fs.rmSync(file, { force: true });
        expect(contents.map((content) => createOnce(file, content))).toEqual(contents.map((_, at) => at === 0));
        expect(fs.readFileSync(file, 'utf8')).toBe(Buffer.from(contents[0]!).toString());
        expect(fs.readdirSync(folder)).toEqual(['file']);
      }),
      { numRuns: 20 },
    );
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test('throws if the folder is missing', () => {
    expect(() => createOnce(path.join(temporaryFolder(), 'missing/file'), 'x')).toThrow('ENOENT');
  });
});
