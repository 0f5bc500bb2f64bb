import { fork } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createTableSql, FilesystemSkillSource, PostgresSkillSource, RedisSkillSource } from '../src/skills/index.ts';
import type { SkillSource } from '../src/skills/skill-source.ts';
import { postgresServer } from '../test/support/postgres-server.ts';
import { redisServer } from '../test/support/redis-server.ts';
import type { Row } from './row.ts';
import { median } from './support/figures.ts';

export const name = 'skills-scan';
export const goal = '10,000 skills: ≤ 1 s from PostgreSQL and Redis, ≤ 2 s from files cold, ≤ 100 ms warm';
export const about =
  'A scan of 10,000 skills, each with a description, metadata and a text of 2 kB that is not read. Files cold: the first scan of a ' +
  'process. Files warm: later scans, which look at each file again (stat) and read none. Memory: what the process has grown by after ten scans of ' +
  'each source.';

const SKILLS = 10_000;
const ROUNDS = 7;
const BODY = 'Do this, then that, and say what you did.\n'.repeat(50);

/** Run as a process of its own, this measures the first scan of a folder. */
if (process.argv[2] === 'cold') {
  const start = performance.now();
  const count = await scan(new FilesystemSkillSource('files', process.argv[3]!));
  process.send!({ ms: performance.now() - start, count });
}

export async function run(): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const redis = redisServer();
  const postgres = postgresServer();
  try {
    writeSkills(folder);
    await Promise.all([redis.start(), postgres.start()]);
    await fillRedis(redis.dsn);
    await fillPostgres(postgres.dsn);
    const options = (dsn: string) => ({ dsn: { variable: 'DSN', read: () => dsn }, timeoutMs: 60_000 });
    const files = new FilesystemSkillSource('files', folder);
    const sources = [
      files,
      new RedisSkillSource('redis', options(redis.dsn)),
      new PostgresSkillSource('postgres', options(postgres.dsn)),
    ];
    const cold = await times(ROUNDS, () => coldScan(folder));
    for (const source of sources) await scan(source);
    const later: number[] = [];
    for (const source of sources) later.push(median(await times(ROUNDS, () => timed(() => scan(source)))));
    const [warm, ofRedis, ofPostgres] = later as [number, number, number];
    const growth = await memoryGrowth(sources);
    const rows = [
      row('10,000 skills from files, first scan', median(cold), 2000),
      row('10,000 skills from files, later scan', warm, 100),
      row('10,000 skills from Redis', ofRedis, 1000),
      row('10,000 skills from PostgreSQL', ofPostgres, 1000),
      {
        ...base('memory after ten scans of each source'),
        ours: `${growth.toFixed(0)} MB`,
        goal: '≤ 50 MB',
        met: growth <= 50,
      },
    ];
    await Promise.all(sources.map((source) => source.close()));
    return rows;
  } finally {
    await Promise.all([redis.remove(), postgres.remove()]);
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function base(what: string) {
  return { what, peer: '–', peerName: '–', ratio: null };
}

function row(what: string, ms: number, limit: number): Row {
  return { ...base(what), ours: `${ms.toFixed(0)} ms`, goal: `≤ ${limit} ms`, met: ms <= limit };
}

async function scan(source: SkillSource): Promise<number> {
  const { skills, problems } = await source.scan('team', { signal: new AbortController().signal });
  if (skills.length !== SKILLS || problems.length > 0)
    throw new Error(`${skills.length} skills, ${problems.length} problems`);
  return skills.length;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function times(rounds: number, measure: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  for (let round = 0; round < rounds; round++) all.push(await measure());
  return all;
}

function coldScan(folder: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, ['cold', folder]);
    child.once('message', ({ ms }: { ms: number }) => resolve(ms));
    child.once('exit', (code) => reject(new Error(`the cold scan exited with ${code}`)));
  });
}

async function memoryGrowth(sources: readonly SkillSource[]): Promise<number> {
  const before = process.memoryUsage().rss;
  for (const source of sources) for (let round = 0; round < 10; round++) await scan(source);
  return Math.max(0, process.memoryUsage().rss - before) / 2 ** 20;
}

const describe = (index: number) => `Does the thing number ${index}. Use it when a task says so and nothing else fits.`;

function writeSkills(folder: string): void {
  for (let index = 0; index < SKILLS; index++) {
    const skill = path.join(folder, `skill-${index}`);
    fs.mkdirSync(skill);
    const head = `name: skill-${index}\ndescription: ${describe(index)}\nlicense: MIT\nmetadata:\n  author: example\n  version: "1.0"`;
    fs.writeFileSync(path.join(skill, 'SKILL.md'), `---\n${head}\n---\n${BODY}`);
  }
}

async function fillRedis(dsn: string): Promise<void> {
  const redis = new Redis(dsn);
  const write = redis.pipeline();
  for (let index = 0; index < SKILLS; index++) {
    write.hset(`skills:meta:team:skill-${index}`, {
      description: describe(index),
      required_env_vars: '[]',
      metadata: '{"author":"example","version":"1.0"}',
    });
    write.set(`skills:body:team:skill-${index}`, BODY);
  }
  await write.exec();
  redis.disconnect();
}

async function fillPostgres(dsn: string): Promise<void> {
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  await client.query(createTableSql({}));
  await client.query(
    `INSERT INTO skills (namespace, skill_name, description, body, metadata, body_size, body_etag)
     SELECT 'team', 'skill-' || n, 'Does the thing number ' || n || '. Use it when a task says so and nothing else fits.', $1,
       '{"author": "example", "version": "1.0"}', length($1), 'etag' FROM generate_series(1, $2::int) AS n`,
    [BODY, SKILLS],
  );
  await client.query('ANALYZE skills');
  await client.end();
}
