import fs from 'node:fs';
import type Libsql from 'libsql';
import { damaged, databaseError } from './database-error.ts';

/** Values of a statement. No booleans: the library crashes the process on one. */
export type SqlValue = string | number | bigint | null;

const BUSY_TIMEOUT_MS = 5000;
const CACHE_KIB = 32 * 1024;
/** Maximum size of the log after a checkpoint. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Opens a database, private to the user; creates it if missing, unless it is opened read-only. One process writes, any
 * number may read at the same time. The library is loaded only here: most commands never need it.
 */
export async function openDatabase(file: string, { readonly = false } = {}): Promise<Database> {
  const { default: Connection } = await import('libsql');
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) {
    throw damaged(file, 'it is not a file', { fix: 'Move away what is in its place; the file is then made again.' });
  }
  try {
    if (readonly && !stat) throw damaged(file, 'it does not exist', { fix: 'Start the server once: tacho start' });
    // Never open an existing file ourselves: closing it would release SQLite's own locks on it.
    if (!stat) fs.closeSync(fs.openSync(file, 'wx', 0o600));
    else if (!readonly && (stat.mode & 0o077) !== 0) fs.chmodSync(file, 0o600);
    return new Database(new Connection(file), file, readonly);
  } catch (error) {
    throw databaseError(error, file);
  }
}

/**
 * A connection with translated errors. Statements are prepared once. The library frees the memory of results only
 * between turns of the event loop, so long reads have to pause.
 */
export class Database {
  readonly file: string;
  readonly #connection: Libsql.Database;
  readonly #readonly: boolean;
  readonly #statements = new Map<string, Libsql.Statement>();
  /** An error in part of the open transaction, which can then only be rolled back. */
  #doomed: { by: unknown } | null = null;

  constructor(connection: Libsql.Database, file: string, readonly: boolean) {
    this.#connection = connection;
    this.file = file;
    this.#readonly = readonly;
    this.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // The library has no option to open a file read-only.
    if (readonly) this.exec('PRAGMA query_only = ON');
    else
      this.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${MAX_LOG_BYTES}`);
    this.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    this.all('SELECT name FROM sqlite_master LIMIT 1'); // Reads the file for the first time.
  }

  exec(sql: string): void {
    this.#translated(() => this.#connection.exec(sql));
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): number {
    return this.#translated(() => this.#prepared(sql).run(bound(values)).changes);
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#translated(() => this.#prepared(sql).all(bound(values)) as Row[]);
  }

  /** The first row. The statement is still read to its end, because an open one would keep a transaction open. */
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.all<Row>(sql, ...values)[0];
  }

  /** All or nothing; joins an open transaction. */
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

  /** For work that spans several turns of the event loop; other writes in between become part of it. */
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
    // SQLite rolls back some transactions by itself, for example on a full disk.
    if (this.#connection.inTransaction) this.exec('ROLLBACK');
    this.#doomed = null;
  }

  /** The library closes the file only when its statements are garbage-collected, so the log must be empty by then. */
  close(): void {
    if (!this.#connection.open) return;
    try {
      this.rollback();
      if (!this.#readonly) this.all('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Damaged, full or in use: the log stays, and the next process that opens the file reads it.
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

  #translated<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw databaseError(error, this.file);
    }
  }
}

/** The library binds every number as a float; integers such as row numbers have to be bound as bigint. */
function bound(values: readonly SqlValue[]): SqlValue[] {
  return values.map((value) => (typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value));
}

/** Removes the file and its log; the file first, so that leftovers can never be read as a database. */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) fs.rmSync(file + suffix, { force: true });
}
