export { type Database, openDatabase, removeDatabase, type SqlValue } from './database.ts';
export { isDamage } from './database-error.ts';
export { migrate, versionOf } from './migrate.ts';
