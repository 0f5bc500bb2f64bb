import fs from 'node:fs';
import { type Database, isDamage, migrate, openDatabase, removeDatabase, versionOf } from '../../storage/index.ts';
import { INDEX_STEPS } from './schema.ts';

/** Why an index has to be made from the beginning. */
export type RebuildReason = 'missing' | 'damaged' | 'other version';

/** Opens the index to write it. One that cannot be used is thrown away: all that was in it can be read again. */
export async function openIndexFile(file: string): Promise<{ database: Database; made: RebuildReason | null }> {
  const isThere = (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
  let made: RebuildReason = isThere ? 'other version' : 'missing';
  try {
    const database = await openDatabase(file);
    if (isUsable(database)) return { database, made: null };
    database.close();
  } catch (error) {
    // What is not a file was put there by somebody, and is not ours to remove.
    if (!isDamage(error) || !fs.statSync(file).isFile()) throw error;
    made = 'damaged';
  }
  return { database: await makeIndexFile(file), made };
}

export async function makeIndexFile(file: string): Promise<Database> {
  removeDatabase(file);
  const database = await openDatabase(file);
  migrate(database, INDEX_STEPS);
  return database;
}

/** Of our version, with every table there; throws when it is damaged where that can be seen at once. */
function isUsable(database: Database): boolean {
  if (versionOf(database) !== INDEX_STEPS.length) return false;
  for (const table of ['runs', 'records', 'counts']) database.all(`SELECT * FROM ${table} LIMIT 1`);
  database.all("SELECT rowid FROM words WHERE words MATCH 'the' ORDER BY rowid DESC LIMIT 1");
  return true;
}
