import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisSkillSource } from '../../src/skills/index.ts';
import { redisServer } from '../support/redis-server.ts';
import type { TestServer } from '../support/server-process.ts';
import { stored, testDatabase } from './database-tests.ts';

let server: TestServer;
let places = 0;
beforeAll(() => {
  server = redisServer();
});

function open({ timeoutMs = 60_000, prefix = `test-${++places}*[a]:`, dsn = server.dsn } = {}) {
  return new RedisSkillSource('cache', { dsn: { variable: 'SKILLS_REDIS', read: () => dsn }, prefix, timeoutMs });
}

const clients: Redis[] = [];
function client(): Redis {
  const made = new Redis(server.dsn, { retryStrategy: () => null });
  made.on('error', () => {});
  clients.push(made);
  return made;
}
afterAll(() => {
  for (const made of clients) made.disconnect();
});

testDatabase('Redis', {
  server: () => server,
  open: async (options) => open(options),
  fill: async (_, names) => {
    const write = client().pipeline();
    for (const name of names) write.hset(`test-${places}*[a]:meta:team:${name}`, { description: 'x' });
    await write.exec();
  },
  block: async () => void (await client().call('CLIENT', 'PAUSE', '600000', 'ALL')),
});

test('Redis: hashes that are not valid skills are problems with their keys', async () => {
  const source = open({ prefix: 'bad:' });
  await source.put(stored('good'));
  const redis = client();
  await redis.hset('bad:meta:team:long', { description: 'x'.repeat(100_000) });
  await redis.hset('bad:meta:team:no-description', { enabled: '1' });
  await redis.hset('bad:meta:team:variables', { description: 'x', required_env_vars: 'not json' });
  await redis.hset('bad:meta:team:bundle', { description: 'x', bundle_sha256: 'short', bundle_bytes: '1' });
  await redis.hset('bad:meta:team:Bad Name', { description: 'x' });
  await redis.set('bad:meta:team:text', 'not a hash');
  const { skills, problems } = await source.scan('team', { signal: AbortSignal.timeout(60_000) });
  expect(skills.map(({ name }) => name)).toEqual(['good']);
  expect(problems.map(({ file, code }) => `${file} ${code}`).sort()).toEqual([
    'bad:meta:team:Bad Name SKILL_FIELD_INVALID',
    'bad:meta:team:bundle SKILL_BUNDLE_MISMATCH',
    'bad:meta:team:long SKILL_FRONTMATTER_TOO_LARGE',
    'bad:meta:team:no-description SKILL_FIELD_MISSING',
    'bad:meta:team:text SKILL_FIELD_INVALID',
    'bad:meta:team:variables SKILL_FIELD_INVALID',
  ]);
  await source.close();
});

test('Redis: an error never contains the connection string', async () => {
  const source = open({ dsn: 'redis://app:hunter2@127.0.0.1:1/0' });
  const error = await source.scan('team', { signal: AbortSignal.timeout(60_000) }).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'SKILL_SOURCE_UNAVAILABLE' });
  expect(`${error} ${JSON.stringify(error)}`).not.toContain('hunter2');
});
