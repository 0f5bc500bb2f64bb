import type { Pool } from 'pg';
import { TachoError } from '../../protocol/index.ts';
import type { SkillReference } from '../mention.ts';
import { MAX_FRONTMATTER_BYTES, MAX_SKILLS_PER_SOURCE, type SkillMetadata } from '../skill.ts';
import type { SkillFiles, SourceRequest, SourceScan } from '../skill-source.ts';
import { bodyTooLarge, bundleMismatch, skillGone } from '../source-errors.ts';
import { checkStored, type StoredSkill, sha256, type WritableSkillSource } from '../stored-skill.ts';
import { type ConnectionString, connectionError, requireDsn } from './connection-error.ts';
import { addRow, headTooLarge, type SkillRow } from './row-metadata.ts';
import { tooManySkills } from './too-many-skills.ts';

export interface PostgresSourceOptions {
  dsn: ConnectionString;
  schema?: string | undefined;
  table?: string | undefined;
  timeoutMs: number;
}

const PAGE = 1000;
const MAX_CONNECTIONS = 4;

/**
 * Skills in a table of PostgreSQL, one row each (`createTableSql`). A scan reads page by page, and neither texts nor
 * files. Connects when it is first used, and again after a failure.
 */
export class PostgresSkillSource implements WritableSkillSource {
  readonly id: string;
  readonly #options: PostgresSourceOptions;
  readonly #table: string;
  #pool: Promise<Pool> | null = null;

  constructor(id: string, options: PostgresSourceOptions) {
    this.id = id;
    this.#options = options;
    this.#table = tableName(options);
  }

  scan(namespace: string, { signal }: SourceRequest): Promise<SourceScan> {
    return this.#run(signal, async (pool) => {
      const scan: SourceScan = { skills: [], problems: [] };
      let seen = 0;
      for (let after = ''; ; ) {
        signal.throwIfAborted();
        const { rows } = await pool.query<ScannedRow>(scanSql(this.#table), [namespace, after, PAGE]);
        for (const row of rows) this.#addRow(scan, namespace, row);
        seen += rows.length;
        if (rows.length < PAGE) return scan;
        if (seen >= MAX_SKILLS_PER_SOURCE) {
          scan.problems.push(tooManySkills(this.id));
          return scan;
        }
        after = rows.at(-1)!.name;
      }
    });
  }

  readBody(skill: SkillMetadata, { signal, maxBytes }: SourceRequest & { maxBytes: number }): Promise<string> {
    return this.#run(signal, async (pool) => {
      const { rows } = await pool.query<{ bytes: number; body: string | null }>(
        `SELECT octet_length(body) AS bytes, CASE WHEN octet_length(body) <= $3 THEN body END AS body
         FROM ${this.#table} WHERE namespace = $1 AND skill_name = $2 AND enabled`,
        [skill.namespace, skill.name, maxBytes],
      );
      const [row] = rows;
      if (!row) throw skillGone(skill);
      if (row.body === null) throw bodyTooLarge(skill, { bytes: row.bytes, maxBytes });
      return row.body;
    });
  }

  async readFiles(skill: SkillMetadata, { signal }: SourceRequest): Promise<SkillFiles | null> {
    const { bundle } = skill;
    if (bundle === null) return null;
    return await this.#run(signal, async (pool) => {
      const { rows } = await pool.query<{ bytes: number; bundle: Buffer | null }>(
        `SELECT octet_length(bundle) AS bytes, CASE WHEN octet_length(bundle) = $3 THEN bundle END AS bundle
         FROM ${this.#table} WHERE namespace = $1 AND skill_name = $2 AND enabled`,
        [skill.namespace, skill.name, bundle.bytes],
      );
      const [row] = rows;
      if (!row) throw skillGone(skill);
      if (row.bundle === null)
        throw bundleMismatch(skill, `they have ${row.bytes ?? 0} bytes instead of ${bundle.bytes}`);
      if (sha256(row.bundle) !== bundle.sha256) throw bundleMismatch(skill, 'they have another hash');
      return { kind: 'zip', bytes: row.bundle };
    });
  }

  async put(skill: StoredSkill): Promise<void> {
    const { description, required_env_vars, metadata, bundle } = checkStored(skill);
    const values = [
      skill.namespace,
      skill.name,
      description,
      skill.body,
      skill.enabled !== false,
      required_env_vars,
      JSON.stringify(metadata),
      Buffer.byteLength(skill.body),
      sha256(skill.body),
      bundle?.sha256 ?? null,
      bundle?.bytes ?? null,
      skill.bundle ? Buffer.from(skill.bundle) : null,
    ];
    await this.#run(undefined, (pool) => pool.query(putSql(this.#table), values));
  }

  async remove({ namespace, name }: SkillReference): Promise<void> {
    const sql = `DELETE FROM ${this.#table} WHERE namespace = $1 AND skill_name = $2`;
    await this.#run(undefined, (pool) => pool.query(sql, [namespace, name]));
  }

  /** Makes the table if it is not there. */
  async createTable(): Promise<void> {
    await this.#run(undefined, (pool) => pool.query(createTableSql(this.#options)));
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => null);
    this.#pool = null;
    await pool?.end();
  }

  #addRow(scan: SourceScan, namespace: string, { head_bytes, ...row }: ScannedRow): void {
    const location = `${this.#table} ${namespace}:${row.name}`;
    if (head_bytes > MAX_FRONTMATTER_BYTES) scan.problems.push(headTooLarge({ source: this.id, location }));
    else addRow(scan, row, { source: this.id, namespace, location });
  }

  /** Fails with SKILL_SOURCE_UNAVAILABLE, unless `work` throws an error of ours, which is about a skill. */
  async #run<T>(signal: AbortSignal | undefined, work: (pool: Pool) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const dsn = requireDsn(this.id, this.#options.dsn);
    try {
      this.#pool ??= createPool(dsn, this.#options.timeoutMs);
      return await work(await this.#pool);
    } catch (error) {
      if (error instanceof TachoError) throw error;
      throw connectionError(this.id, error, dsn);
    }
  }
}

interface ScannedRow extends SkillRow {
  head_bytes: number;
}

/** The table of a source, for the administrator of the database. */
export function createTableSql(place: { schema?: string | undefined; table?: string | undefined }): string {
  return `CREATE TABLE IF NOT EXISTS ${tableName(place)} (
  namespace text NOT NULL,
  skill_name text NOT NULL,
  description text NOT NULL,
  body text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  required_env_vars text[] NOT NULL DEFAULT '{}',
  metadata jsonb NOT NULL DEFAULT '{}',
  body_size integer NOT NULL,
  body_etag text NOT NULL,
  bundle_sha256 text,
  bundle_bytes integer,
  bundle bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (namespace, skill_name)
)`;
}

function tableName({
  schema = 'public',
  table = 'skills',
}: {
  schema?: string | undefined;
  table?: string | undefined;
}) {
  return `${identifier(schema)}.${identifier(table)}`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Fields beyond the limit are measured, but not fetched. */
function scanSql(table: string): string {
  const small = `head_bytes <= ${MAX_FRONTMATTER_BYTES}`;
  return `SELECT skill_name AS name, head_bytes, bundle_sha256, bundle_bytes,
    CASE WHEN ${small} THEN description END AS description,
    CASE WHEN ${small} THEN required_env_vars END AS required_env_vars,
    CASE WHEN ${small} THEN metadata END AS metadata
  FROM ${table}, LATERAL (SELECT octet_length(description) + octet_length(metadata::text)
    + octet_length(array_to_string(required_env_vars, ',')) AS head_bytes) AS measured
  WHERE namespace = $1 AND enabled AND skill_name > $2 ORDER BY skill_name LIMIT $3`;
}

function putSql(table: string): string {
  return `INSERT INTO ${table} (namespace, skill_name, description, body, enabled, required_env_vars, metadata, body_size,
    body_etag, bundle_sha256, bundle_bytes, bundle)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  ON CONFLICT (namespace, skill_name) DO UPDATE SET description = EXCLUDED.description, body = EXCLUDED.body,
    enabled = EXCLUDED.enabled, required_env_vars = EXCLUDED.required_env_vars, metadata = EXCLUDED.metadata,
    body_size = EXCLUDED.body_size, body_etag = EXCLUDED.body_etag, bundle_sha256 = EXCLUDED.bundle_sha256,
    bundle_bytes = EXCLUDED.bundle_bytes, bundle = EXCLUDED.bundle, updated_at = now()`;
}

/** It drops a connection that failed, and makes a new one for the next query. */
async function createPool(dsn: string, timeoutMs: number): Promise<Pool> {
  const { default: postgres } = await import('pg');
  const pool = new postgres.Pool({
    connectionString: dsn,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    allowExitOnIdle: true,
    application_name: 'tacho-skills',
  });
  // An idle connection was lost.
  pool.on('error', () => {});
  return pool;
}
