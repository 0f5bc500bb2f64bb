import assert from 'node:assert/strict';
import { TachoError } from '../protocol/index.ts';
import type { SkillMetadata } from './skill.ts';
import type { SkillSource } from './skill-source.ts';

/** A skill that a source under test is filled with. */
export interface SourceSample {
  namespace: string;
  name: string;
  description: string;
  body: string;
  required_env_vars: readonly string[];
  metadata: Readonly<Record<string, unknown>>;
}

export interface SourceUnderTest {
  /** An empty source, and how to fill it. */
  open(): Promise<{
    source: SkillSource;
    add(skill: SourceSample): Promise<void>;
    remove(skill: SourceSample): Promise<void>;
  }>;
}

/** One promise of `SkillSource`, with the title of a test. */
export interface SourceRule {
  title: string;
  check(under: SourceUnderTest): Promise<void>;
}

const NAMESPACE = 'team:product';

function sample(name: string, more: Partial<SourceSample> = {}): SourceSample {
  return {
    namespace: NAMESPACE,
    name,
    description: `Does ${name}, with “quotes”, 中文 and 👍.`,
    body: `# ${name}\n\nDo it.\n`,
    required_env_vars: [],
    metadata: {},
    ...more,
  };
}

/**
 * What every source of skills has to do. For a source of your own, run each rule as one test:
 * `for (const { title, check } of sourceRules) test(title, () => check({ open }))`.
 */
export const sourceRules: readonly SourceRule[] = [
  {
    title: 'an empty source has no skills and no problems',
    check: withSource(async ({ source }) => {
      assert.deepEqual(await source.scan(NAMESPACE, request()), { skills: [], problems: [] });
    }),
  },
  {
    title: 'a scan returns the metadata of every skill of a namespace',
    check: withSource(async ({ source, add }) => {
      const review = sample('review', {
        required_env_vars: ['API_KEY'],
        metadata: { version: '2', nested: { a: [1] } },
      });
      const notes = sample('release_notes-2');
      await add(review);
      await add(notes);
      const { skills, problems } = await source.scan(NAMESPACE, request());
      assert.deepEqual(problems, []);
      const { body: _, ...expected } = review;
      assert.deepEqual(known(find(skills, 'review')), expected);
      assert.equal(find(skills, 'release_notes-2').description, notes.description);
      assert.ok(skills.every(({ source: id, location }) => id === source.id && location !== ''));
      assert.equal(skills.length, 2);
    }),
  },
  {
    title: 'the text of a skill is read as it was written',
    check: withSource(async ({ source, add }) => {
      const body = '# Review\n\n---\nname: not-frontmatter\n---\n\n$[team].other 中文 👍\n';
      await add(sample('review', { body }));
      assert.equal(await source.readBody(await scanned(source, 'review'), { ...request(), maxBytes: 1000 }), body);
    }),
  },
  {
    title: 'a text of exactly the maximum size is read, and a larger one is rejected with SKILL_BODY_TOO_LARGE',
    check: withSource(async ({ source, add }) => {
      await add(sample('review', { body: 'é'.repeat(50) }));
      const skill = await scanned(source, 'review');
      assert.equal((await source.readBody(skill, { ...request(), maxBytes: 100 })).length, 50);
      await rejects(source.readBody(skill, { ...request(), maxBytes: 99 }), 'SKILL_BODY_TOO_LARGE');
    }),
  },
  {
    title: 'a later scan sees added, changed and removed skills',
    check: withSource(async ({ source, add, remove }) => {
      const review = sample('review');
      await add(review);
      await add(sample('notes'));
      const skill = await scanned(source, 'review');
      await remove(review);
      await add(sample('fresh'));
      const { skills } = await source.scan(NAMESPACE, request());
      assert.deepEqual(skills.map(({ name }) => name).sort(), ['fresh', 'notes']);
      await rejects(source.readBody(skill, { ...request(), maxBytes: 1000 }), 'SKILL_UNKNOWN');
      await add(sample('review', { description: 'Changed.', body: 'New.' }));
      const again = await scanned(source, 'review');
      assert.equal(again.description, 'Changed.');
      assert.equal(await source.readBody(again, { ...request(), maxBytes: 1000 }), 'New.');
    }),
  },
  {
    title: 'a skill without further files has none, or has a folder',
    check: withSource(async ({ source, add }) => {
      await add(sample('review'));
      const files = await source.readFiles(await scanned(source, 'review'), request());
      assert.ok(files === null || files.kind === 'folder');
    }),
  },
  {
    title: 'an aborted request is rejected, and the next one works',
    check: withSource(async ({ source, add }) => {
      await add(sample('review'));
      await assert.rejects(source.scan(NAMESPACE, { signal: AbortSignal.abort() }));
      assert.equal((await source.scan(NAMESPACE, request())).skills.length, 1);
    }),
  },
  {
    title: 'scans at the same time do not disturb each other',
    check: withSource(async ({ source, add }) => {
      for (const name of ['one', 'two', 'three']) await add(sample(name));
      const scans = await Promise.all([1, 2, 3, 4].map(() => source.scan(NAMESPACE, request())));
      assert.deepEqual(
        scans.map(({ skills }) => skills.length),
        [3, 3, 3, 3],
      );
    }),
  },
];

type Opened = Awaited<ReturnType<SourceUnderTest['open']>>;

function withSource(work: (opened: Opened) => Promise<void>): SourceRule['check'] {
  return async ({ open }) => {
    const opened = await open();
    try {
      await work(opened);
    } finally {
      await opened.source.close();
    }
  };
}

function request() {
  return { signal: AbortSignal.timeout(60_000) };
}

async function scanned(source: SkillSource, name: string): Promise<SkillMetadata> {
  return find((await source.scan(NAMESPACE, request())).skills, name);
}

function find(skills: readonly SkillMetadata[], name: string): SkillMetadata {
  const found = skills.find((skill) => skill.name === name);
  assert.ok(found, `a scan does not return ${name}`);
  return found;
}

function known({ namespace, name, description, required_env_vars, metadata }: SkillMetadata) {
  return { namespace, name, description, required_env_vars, metadata };
}

async function rejects(work: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(work, (error) => error instanceof TachoError && error.code === code);
}
