import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/index.ts';
import { SkillLibrary, type StoredSkill, sourceRules, type WritableSkillSource } from '../../src/skills/index.ts';
import type { TestServer } from '../support/server-process.ts';

interface DatabaseUnderTest {
  /** Made in a hook: the first test should not pay for the others. */
  server(): TestServer;
  /** A source with an empty place of its own. */
  open(options?: { timeoutMs?: number; dsn?: string }): Promise<WritableSkillSource>;
  /** Adds skills of the namespace team in one step. */
  fill(source: WritableSkillSource, names: readonly string[]): Promise<void>;
  /** Makes every later command wait, until the server is killed. */
  block(): Promise<void>;
}

const request = () => ({ signal: new AbortController().signal });

export const stored = (name: string, more: Partial<StoredSkill> = {}): StoredSkill => ({
  namespace: 'team',
  name,
  description: `Does ${name}.`,
  body: `Do ${name}.`,
  ...more,
});

/** What both databases have to do, against a real server. */
export function testDatabase(kind: string, { server, open, fill, block }: DatabaseUnderTest): void {
  beforeAll(() => server().start());
  afterAll(() => server().remove());

  describe('the rules of all sources', () => {
    for (const { title, check } of sourceRules) {
      test(title, () =>
        check({
          open: async () => {
            const source = await open();
            return { source, add: (skill) => source.put(skill), remove: (skill) => source.remove(skill) };
          },
        }),
      );
    }
  });

  async function withSource(work: (source: WritableSkillSource) => Promise<void>): Promise<void> {
    const source = await open();
    await work(source).finally(() => source.close());
  }

  test(`${kind}: a scan of a namespace leaves out namespaces inside of it, and disabled skills`, () =>
    withSource(async (source) => {
      await source.put(stored('review'));
      await source.put(stored('review', { namespace: 'team:product' }));
      await source.put(stored('off', { enabled: false }));
      const { skills } = await source.scan('team', request());
      expect(skills.map(({ namespace, name }) => `${namespace} ${name}`)).toEqual(['team review']);
      await expect(
        source.readBody({ ...skills[0]!, name: 'off' }, { ...request(), maxBytes: 100 }),
      ).rejects.toMatchObject({ code: 'SKILL_UNKNOWN' });
    }));

  test(`${kind}: many pages of skills are returned once each, in order`, () =>
    withSource(async (source) => {
      const names = Array.from({ length: 2500 }, (_, index) => `skill-${String(index).padStart(5, '0')}`);
      await fill(source, names);
      expect((await source.scan('team', request())).skills.map(({ name }) => name)).toEqual(names);
    }));

  test(`${kind}: a bundle is fetched only when asked for, and checked against its hash and size`, () =>
    withSource(async (source) => {
      const bundle = Buffer.from('a zip, for all the source knows');
      await source.put(stored('review', { bundle }));
      const [skill] = (await source.scan('team', request())).skills;
      expect(skill!.bundle?.bytes).toBe(bundle.length);
      expect(await source.readFiles(skill!, request())).toMatchObject({ kind: 'zip', bytes: bundle });
      await source.put(stored('review', { bundle: Buffer.from('A zip, for all the source knows') }));
      await expect(source.readFiles(skill!, request())).rejects.toMatchObject({ code: 'SKILL_BUNDLE_MISMATCH' });
      await source.put(stored('review', { bundle: Buffer.from('longer than that'.repeat(9)) }));
      await expect(source.readFiles(skill!, request())).rejects.toMatchObject({ code: 'SKILL_BUNDLE_MISMATCH' });
      await source.put(stored('review'));
      await expect(source.readFiles(skill!, request())).rejects.toMatchObject({ code: 'SKILL_BUNDLE_MISMATCH' });
      expect((await source.scan('team', request())).skills[0]!.bundle).toBeNull();
    }));

  test(`${kind}: what a scan would reject is not stored`, () =>
    withSource(async (source) => {
      await expect(source.put(stored('Bad Name'))).rejects.toMatchObject({ code: 'SKILL_FIELD_INVALID' });
      await expect(source.put(stored('a', { description: '' }))).rejects.toMatchObject({ code: 'SKILL_FIELD_MISSING' });
      await expect(source.put(stored('a', { namespace: 'A' }))).rejects.toMatchObject({ code: 'SKILL_FIELD_INVALID' });
    }));

  function library(source: WritableSkillSource, settings: Partial<typeof DEFAULTS.skills>, now?: () => number) {
    return new SkillLibrary({
      spaces: [{ namespace: 'team', enabled: true, sources: [source] }],
      settings: { ...DEFAULTS.skills, ...settings },
      ...(now ? { now } : {}),
    });
  }

  test(`${kind}: skills are scanned and injected with each way of refreshing`, () =>
    withSource(async (source) => {
      let time = 0;
      const always = library(source, { refresh: 'always' });
      const ttl = library(source, { refresh: 'ttl', ttl_ms: 1000 }, () => time);
      const manual = library(source, { refresh: 'manual' });
      const all = [always, ttl, manual];
      const known = () => Promise.all(all.map(async (one) => (await one.current()).skills.size));
      await source.put(stored('one'));
      expect(await known()).toEqual([1, 1, 0]);
      await manual.scan();
      await source.put(stored('two'));
      expect(await known()).toEqual([2, 1, 1]);
      time = 1000;
      expect(await known()).toEqual([2, 2, 1]);
      await manual.scan();
      for (const one of all) {
        const { injected, refused } = await one.inject('$[team].two then $[team].one', { env: {} });
        expect(injected.map(({ body }) => body)).toEqual(['Do two.', 'Do one.']);
        expect(refused).toEqual([]);
      }
    }));

  test(`${kind}: a server that stops during a scan is a warning, and is used again once it is back`, async () => {
    const source = await open();
    await source.put(stored('one'));
    const found = library(source, { refresh: 'always', source_timeout_ms: 60_000 });
    expect((await found.scan()).problems).toEqual([]);
    await block();
    const scanning = found.scan();
    await server().kill();
    const { skills, problems } = await scanning;
    expect([...skills.keys()]).toEqual(['$[team].one']);
    expect(problems).toMatchObject([{ code: 'SKILL_SOURCE_UNAVAILABLE', severity: 'warning' }]);
    const { refused } = await found.inject('$[team].one', { env: {} });
    expect(refused.map(({ error }) => error.code)).toEqual(['SKILL_SOURCE_UNAVAILABLE']);

    await server().start();
    // Redis of these tests keeps nothing; PostgreSQL has the skill from before.
    await source.put(stored('one'));
    expect((await found.scan()).problems).toEqual([]);
    expect((await found.inject('$[team].one', { env: {} })).injected[0]!.body).toBe('Do one.');
    await found.close();
  });

  test(`${kind}: a server that accepts and never answers times out, and is used again afterwards`, async () => {
    const source = await open({ timeoutMs: 60_000 });
    await source.put(stored('one'));
    const found = library(source, { refresh: 'manual', source_timeout_ms: 300 });
    server().pause();
    try {
      const { problems } = await found.scan();
      expect(problems[0]).toMatchObject({ code: 'SKILL_SOURCE_UNAVAILABLE' });
    } finally {
      server().resume();
    }
    await expect.poll(async () => (await found.scan()).problems).toEqual([]);
    // On a busy machine, one of the answers may still take longer than allowed here.
    await expect.poll(async () => (await found.inject('$[team].one', { env: {} })).injected).toHaveLength(1);
    await found.close();
  });
}
