import fs from 'node:fs';
import { type Database, isDamage, migrate, openDatabase, removeDatabase, versionOf } from '../../storage/index.ts';
import { INDEX_STEPS } from './schema.ts';

/** Why the index has to be rebuilt. */
export type RebuildReason = 'missing' | 'damaged' | 'other version';

/** Opens the index for writing. An unusable one is deleted: its content can be read again. */
export async function openIndexFile(file: string): Promise<{ database: Database; made: RebuildReason | null }> {
  const isThere = (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
  let made: RebuildReason = isThere ? 'other version' : 'missing';
  try {
    const database = await openDatabase(file);
    if (isUsable(database)) return { database, made: null };
    database.close();
  } catch (error) {
    // Anything but a regular file was not created by tacho, and is not removed.
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

/** Has our version and every table; throws on damage that is visible at once. */
function isUsable(database: Database): boolean {
  if (versionOf(database) !== INDEX_STEPS.length) return false;
  for (const table of ['runs', 'records', 'counts']) database.all(`SELECT * FROM ${table} LIMIT 1`);
  database.all("SELECT rowid FROM words WHERE words MATCH 'the' ORDER BY rowid DESC LIMIT 1");
  return true;
}
