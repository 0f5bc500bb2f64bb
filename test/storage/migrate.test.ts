import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, migrate, openDatabase, versionOf } from '../../src/storage/index.ts';
import { temporaryFolder } from '../support/tacho.ts';

async function newDatabase(): Promise<Database> {
  const database = await openDatabase(path.join(temporaryFolder(), 'some.db'));
  onTestFinished(() => database.close());
  return database;
}

const STEPS = ['CREATE TABLE one (a)', 'CREATE TABLE two (a); INSERT INTO two VALUES (2)'];

test('steps are executed in order and once', async () => {
  const database = await newDatabase();
  expect(versionOf(database)).toBe(0);
  migrate(database, STEPS.slice(0, 1));
  expect(versionOf(database)).toBe(1);
  migrate(database, STEPS);
  migrate(database, STEPS);
  expect(versionOf(database)).toBe(2);
  expect(database.all('SELECT * FROM two')).toEqual([{ a: 2 }]);
});

test('a failed step changes nothing, and earlier steps are kept', async () => {
  const database = await newDatabase();
  expect(() => migrate(database, [...STEPS, 'CREATE TABLE three (a); SELEKT'])).toThrow('SELEKT');
  expect(versionOf(database)).toBe(2);
  expect(database.all("SELECT name FROM sqlite_master WHERE name = 'three'")).toEqual([]);
  migrate(database, [...STEPS, 'CREATE TABLE three (a)']);
  expect(versionOf(database)).toBe(3);
});

test('a database of a later version is not changed', async () => {
  const database = await newDatabase();
  migrate(database, STEPS);
  expect(() => migrate(database, STEPS.slice(0, 1))).toThrow(expect.objectContaining({ code: 'FORMAT_TOO_NEW' }));
  expect(versionOf(database)).toBe(2);
});
