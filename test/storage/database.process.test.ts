import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase, removeDatabase } from '../../src/storage/index.ts';
import { builtText } from '../support/program.ts';
import { smallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/tacho.ts';

function newFile(folder = temporaryFolder()): string {
  return path.join(folder, 'index.db');
}

async function open(file: string, options: { readonly?: boolean } = {}): Promise<Database> {
  const database = await openDatabase(file, options);
  onTestFinished(() => database.close());
  return database;
}

const mode = (file: string) => fs.statSync(file).mode & 0o777;

describe('a database', () => {
  test('is private to the user, including its log', async () => {
    const file = newFile();
    const database = await open(file);
    database.exec('CREATE TABLE numbers (number INTEGER)');
    expect(['', '-wal', '-shm'].map((suffix) => mode(file + suffix))).toEqual([0o600, 0o600, 0o600]);
  });

  test('is made private again if others got access', async () => {
    const file = newFile();
    (await openDatabase(file)).close();
    fs.chmodSync(file, 0o644);
    await open(file);
    expect(mode(file)).toBe(0o600);
  });

  test('keeps integers exact, and every other value unchanged', async () => {
    const database = await open(newFile());
    database.exec('CREATE TABLE kept (value)');
    const values = [2 ** 53 - 1, -1, 0.5, 'Grüße 🦀', null, ''];
    for (const value of values) database.run('INSERT INTO kept VALUES (?)', value);
    const rows = database.all<{ value: unknown }>('SELECT value FROM kept ORDER BY rowid');
    expect(rows.map(({ value }) => value)).toEqual(values);
    expect(database.get('SELECT typeof(? << 10) AS type', 2 ** 52)).toEqual({ type: 'integer' });
  });

  test('returns the number of changed rows, and undefined for a missing row', async () => {
    const database = await open(newFile());
    database.exec('CREATE TABLE numbers (number INTEGER); INSERT INTO numbers VALUES (1), (2), (3)');
    expect(database.run('DELETE FROM numbers WHERE number > ?', 1)).toBe(2);
    expect(database.get('SELECT number FROM numbers WHERE number = ?', 9)).toBeUndefined();
  });

  test('executes a transaction completely or not at all, also within another one', async () => {
    const database = await open(newFile());
    database.exec('CREATE TABLE numbers (number INTEGER)');
    const add = (number: number) => database.run('INSERT INTO numbers VALUES (?)', number);
    expect(() =>
      database.transaction(() => {
        add(1);
        database.transaction(() => add(2));
        throw new Error('changed my mind');
      }),
    ).toThrow('changed my mind');
    expect(database.all('SELECT * FROM numbers')).toEqual([]);
    database.transaction(() => database.transaction(() => add(3)));
    expect(database.all('SELECT * FROM numbers')).toEqual([{ number: 3 }]);
  });

  test('rolls back a whole transaction if a part of it failed, even if the error was caught', async () => {
    const database = await open(newFile());
    database.exec('CREATE TABLE numbers (number INTEGER UNIQUE)');
    database.begin();
    database.run('INSERT INTO numbers VALUES (1)');
    const twice = () => database.transaction(() => database.run('INSERT INTO numbers VALUES (1)'));
    expect(twice).toThrow('UNIQUE');
    expect(() => database.commit()).toThrow('UNIQUE');
    expect(database.all('SELECT * FROM numbers')).toEqual([]);
    database.transaction(() => database.run('INSERT INTO numbers VALUES (2)'));
    expect(database.all('SELECT * FROM numbers')).toEqual([{ number: 2 }]);
  });

  test('leaves nothing in its log when it is closed', async () => {
    const file = newFile();
    const database = await openDatabase(file);
    database.exec('CREATE TABLE numbers (number INTEGER)');
    database.close();
    database.close();
    expect(fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });

  test('is gone with its log when it is removed', async () => {
    const file = newFile();
    const database = await openDatabase(file);
    database.exec('CREATE TABLE numbers (number INTEGER)');
    database.close();
    removeDatabase(file);
    expect(fs.readdirSync(path.dirname(file))).toEqual([]);
  });

  test('is loaded only on first use', () => {
    const maps = "(await import('node:fs')).readFileSync('/proc/self/maps', 'utf8').includes('libsql')";
    const program = `const { openDatabase } = await import('./src/storage/index.ts');
      const before = ${maps};
      (await openDatabase(process.argv[2])).close();
      console.log(before, ${maps});`;
    expect(execFileSync(process.execPath, [builtText(program), newFile()], { encoding: 'utf8' })).toBe('false true\n');
  });
});

describe('a read-only connection', () => {
  test('sees committed changes only, and can change nothing', async () => {
    const file = newFile();
    const writer = await open(file);
    writer.exec('CREATE TABLE numbers (number INTEGER); INSERT INTO numbers VALUES (1)');
    const reader = await open(file, { readonly: true });
    writer.begin();
    writer.run('INSERT INTO numbers VALUES (2)');
    expect(reader.all('SELECT number FROM numbers')).toEqual([{ number: 1 }]);
    writer.commit();
    expect(reader.all('SELECT number FROM numbers')).toEqual([{ number: 1 }, { number: 2 }]);
    expect(() => reader.run('DELETE FROM numbers')).toThrow(
      expect.objectContaining({ code: 'DATA_FOLDER_UNWRITABLE' }),
    );
  });

  test('does not create a missing file', async () => {
    const file = newFile();
    await expect(openDatabase(file, { readonly: true })).rejects.toMatchObject({ code: 'INDEX_DAMAGED' });
    expect(fs.existsSync(file)).toBe(false);
  });
});

describe('errors have their codes', () => {
  test('a file that is not a database', async () => {
    const file = newFile();
    fs.writeFileSync(file, randomBytes(20_000));
    await expect(openDatabase(file)).rejects.toMatchObject({ code: 'INDEX_DAMAGED', facts: { path: file } });
  });

  test('a truncated database', async () => {
    const file = newFile();
    const database = await openDatabase(file);
    database.exec('CREATE TABLE numbers (number INTEGER)');
    for (let number = 0; number < 5000; number++) database.run('INSERT INTO numbers VALUES (?)', number);
    database.close();
    const copy = newFile();
    fs.writeFileSync(copy, fs.readFileSync(file).subarray(0, 8192));
    await expect(openDatabase(copy)).rejects.toMatchObject({ code: 'INDEX_DAMAGED' });
  });

  test('a folder in its place, which is left alone', async () => {
    const file = newFile();
    fs.mkdirSync(file);
    await expect(openDatabase(file)).rejects.toMatchObject({ code: 'INDEX_DAMAGED', fix: expect.any(String) });
    expect(fs.statSync(file).isDirectory()).toBe(true);
  });

  test('a missing folder', async () => {
    const file = path.join(temporaryFolder(), 'nowhere', 'index.db');
    await expect(openDatabase(file)).rejects.toMatchObject({ code: 'DATA_FOLDER_UNWRITABLE' });
  });

  test('a full disk, after which the connection still works', async () => {
    const database = await open(newFile(smallDisk('256k')));
    database.exec('CREATE TABLE texts (text TEXT)');
    expect(() => database.run('INSERT INTO texts VALUES (?)', 'x'.repeat(1_000_000))).toThrow(
      expect.objectContaining({ code: 'DISK_FULL' }),
    );
    expect(database.all('SELECT * FROM texts')).toEqual([]);
    expect(database.run('INSERT INTO texts VALUES (?)', 'short')).toBe(1);
  });

  test('an invalid statement is an ordinary error', async () => {
    const database = await open(newFile());
    expect(() => database.exec('SELEKT 1')).toThrow(expect.objectContaining({ name: 'SqliteError' }));
  });
});
