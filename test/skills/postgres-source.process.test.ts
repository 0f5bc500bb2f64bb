import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresSkillSource } from '../../src/skills/index.ts';
import { postgresServer } from '../support/postgres-server.ts';
import type { TestServer } from '../support/server-process.ts';
import { stored, testDatabase } from './database-tests.ts';

let server: TestServer;
let places = 0;
beforeAll(() => {
  server = postgresServer();
});

async function open({ timeoutMs = 60_000, table = `skills_${++places}`, dsn = server.dsn } = {}) {
  const source = new PostgresSkillSource('database', {
    dsn: { variable: 'SKILLS_POSTGRES', read: () => dsn },
    table,
    timeoutMs,
  });
  await source.createTable();
  return source;
}

const clients: pg.Client[] = [];
async function client(): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: server.dsn });
  made.on('error', () => {});
  clients.push(made);
  await made.connect();
  return made;
}
afterAll(() => Promise.all(clients.map((made) => made.end())));

testDatabase('PostgreSQL', {
  server: () => server,
  open,
  fill: async (_, names) => {
    const database = await client();
    await database.query(
      `INSERT INTO skills_${places} (namespace, skill_name, description, body, body_size, body_etag)
       SELECT 'team', name, 'x', 'y', 1, 'z' FROM unnest($1::text[]) AS name`,
      [names],
    );
  },
  block: async () => {
    const blocker = await client();
    await blocker.query('BEGIN');
    for (let place = 1; place <= places; place++)
      await blocker.query(`LOCK TABLE skills_${place} IN ACCESS EXCLUSIVE MODE`);
  },
});

test('PostgreSQL: rows that are not valid skills are problems with their names', async () => {
  const source = await open({ table: 'bad' });
  await source.put(stored('good'));
  const database = await client();
  const insert = (name: string, more: Record<string, unknown>) => {
    const row = {
      namespace: 'team',
      skill_name: name,
      description: 'x',
      body: 'b',
      body_size: 1,
      body_etag: 'e',
      ...more,
    };
    const keys = Object.keys(row);
    const places = keys.map((_, index) => `$${index + 1}`).join();
    return database.query(`INSERT INTO bad (${keys.join()}) VALUES (${places})`, Object.values(row));
  };
  await insert('long', { description: 'x'.repeat(100_000) });
  await insert('empty', { description: ' ' });
  await insert('variables', { required_env_vars: ['A=B'] });
  await insert('list', { metadata: '[1]' });
  await insert('bundle', { bundle_sha256: 'short', bundle_bytes: 1 });
  await insert('Bad Name', {});
  const { skills, problems } = await source.scan('team', { signal: AbortSignal.timeout(60_000) });
  expect(skills.map(({ name }) => name)).toEqual(['good']);
  expect(problems.map(({ file, code }) => `${file} ${code}`).sort()).toEqual([
    '"public"."bad" team:Bad Name SKILL_FIELD_INVALID',
    '"public"."bad" team:bundle SKILL_BUNDLE_MISMATCH',
    '"public"."bad" team:empty SKILL_FIELD_MISSING',
    '"public"."bad" team:list SKILL_FIELD_INVALID',
    '"public"."bad" team:long SKILL_FRONTMATTER_TOO_LARGE',
    '"public"."bad" team:variables SKILL_FIELD_INVALID',
  ]);
  await source.close();
});

test('PostgreSQL: a missing table and an invalid connection string are named without the password', async () => {
  const signal = AbortSignal.timeout(60_000);
  const at = (dsn: string) =>
    new PostgresSkillSource('database', {
      dsn: { variable: 'DSN', read: () => dsn },
      table: 'none',
      timeoutMs: 60_000,
    });
  const missing = at(server.dsn);
  await expect(missing.scan('team', { signal })).rejects.toThrow('relation "public.none" does not exist');
  await missing.close();
  for (const dsn of ['postgres://app:hunter2@127.0.0.1:1/skills', 'postgres://app:hunter2@[bad/skills']) {
    const error = await at(dsn)
      .scan('team', { signal })
      .catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'SKILL_SOURCE_UNAVAILABLE' });
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('hunter2');
  }
});
