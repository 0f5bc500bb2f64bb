import fs from 'node:fs';
import type Libsql from 'libsql';
import { damaged, databaseError } from './database-error.ts';

/** What a statement takes. No booleans: the library ends the process over one. */
export type SqlValue = string | number | bigint | null;

const BUSY_TIMEOUT_MS = 5000;
const CACHE_KIB = 32 * 1024;
/** What the log is cut back to once it was written into the file. */
const LOG_BYTES = 16 * 1024 * 1024;

/**
 * Opens a database, private to the user; made when it is not there, unless only for reading. One process writes it,
 * any number may read beside it. The library is loaded here and not before: most commands never need it.
 */
export async function openDatabase(file: string, { readonly = false } = {}): Promise<Database> {
  const { default: Connection } = await import('libsql');
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) {
    throw damaged(file, 'it is not a file', { fix: 'Move away what is in its place; the file is then made again.' });
  }
  try {
    if (readonly && !stat) throw damaged(file, 'it does not exist', { fix: 'Start the server once: tacho start' });
    // An existing file is never opened by ourselves: closing it again would take away SQLite's own locks on it.
    if (!stat) fs.closeSync(fs.openSync(file, 'wx', 0o600));
    else if (!readonly && (stat.mode & 0o077) !== 0) fs.chmodSync(file, 0o600);
    return new Database(new Connection(file), file, readonly);
  } catch (error) {
    throw databaseError(error, file);
  }
}

/**
 * A connection whose failures say what they mean. Statements are prepared once. The library gives back the memory of
 * what it read only between turns of the event loop, so long reads have to pause.
 */
export class Database {
  readonly file: string;
  readonly #connection: Libsql.Database;
  readonly #readonly: boolean;
  readonly #statements = new Map<string, Libsql.Statement>();
  /** What went wrong in a part of the open transaction: as a whole it can only be taken back. */
  #doomed: { by: unknown } | null = null;

  constructor(connection: Libsql.Database, file: string, readonly: boolean) {
    this.#connection = connection;
    this.file = file;
    this.#readonly = readonly;
    this.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // The library has no way of its own to open a file for reading alone.
    if (readonly) this.exec('PRAGMA query_only = ON');
    else this.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${LOG_BYTES}`);
    this.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    this.all('SELECT name FROM sqlite_master LIMIT 1'); // Reads the file for the first time.
  }

  exec(sql: string): void {
    this.#told(() => this.#connection.exec(sql));
  }

  /** How many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return this.#told(() => this.#prepared(sql).run(bound(values)).changes);
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#told(() => this.#prepared(sql).all(bound(values)) as Row[]);
  }

  /** The first row. The statement is read to its end: one left open would keep a transaction open. */
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.all<Row>(sql, ...values)[0];
  }

  /** All of it or nothing; joins a transaction that is open already. */
  transaction<Result>(work: () => Result): Result {
    if (this.#connection.inTransaction) return this.#within(work);
    this.begin();
    try {
      const result = work();
      this.commit();
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** For work that spans several turns of the event loop; what others write meanwhile becomes part of it. */
  begin(): void {
    this.exec('BEGIN IMMEDIATE');
  }

  commit(): void {
    const doomed = this.#doomed;
    if (doomed) {
      this.rollback();
      throw doomed.by;
    }
    this.exec('COMMIT');
  }

  rollback(): void {
    // SQLite has taken some transactions back by itself, such as those that met a full disk.
    if (this.#connection.inTransaction) this.exec('ROLLBACK');
    this.#doomed = null;
  }

  /** The library really closes a file only when its statements are collected, so nothing may wait in the log till then. */
  close(): void {
    if (!this.#connection.open) return;
    try {
      this.rollback();
      if (!this.#readonly) this.all('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Damaged, full or in use: the log stays where it is, and the next process that opens the file finds it.
    }
    this.#statements.clear();
    this.#connection.close();
  }

  #within<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (by) {
      this.#doomed ??= { by };
      throw by;
    }
  }

  #prepared(sql: string): Libsql.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #told<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw databaseError(error, this.file);
    }
  }
}

/** The library takes every number for a fraction, and fractions are not exact where row numbers are. */
function bound(values: readonly SqlValue[]): SqlValue[] {
  return values.map((value) => (typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value));
}

/** Takes the file away with its log; the file first, so that what is left over can never be read as one. */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) fs.rmSync(file + suffix, { force: true });
}
