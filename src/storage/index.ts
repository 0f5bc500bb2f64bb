export { type Database, openDatabase, removeDatabase } from './database.ts';
export { isDamage } from './database-error.ts';
export { migrate, versionOf } from './migrate.ts';
