import { TachoError } from '../protocol/index.ts';
import type { Database } from './database.ts';

/** 0 for a new file. */
export function versionOf(database: Database): number {
  return database.get<{ user_version: number }>('PRAGMA user_version')!.user_version;
}

/** Migrates a database to the version that equals the number of steps; each step is atomic. */
export function migrate(database: Database, steps: readonly string[]): void {
  const found = versionOf(database);
  if (found > steps.length) {
    throw new TachoError('FORMAT_TOO_NEW', `${database.file} has version ${found}; this tacho knows ${steps.length}`, {
      facts: { path: database.file, version: found, known: steps.length },
      fix: 'Upgrade tacho to the version that made it, or a later one.',
    });
  }
  for (let version = found; version < steps.length; version++) {
    database.transaction(() => {
      database.exec(steps[version]!);
      database.exec(`PRAGMA user_version = ${version + 1}`);
    });
  }
}
