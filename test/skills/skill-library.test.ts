import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/index.ts';
import { TachoError } from '../../src/protocol/index.ts';
import {
  SkillLibrary as Library,
  MemorySkillSource,
  openSkills,
  type SkillLibrary,
  type SkillSource,
} from '../../src/skills/index.ts';
import type { MemorySkill } from '../../src/skills/sources/memory-source.ts';

type Settings = typeof DEFAULTS.skills;

const skill = (name: string, more: Partial<MemorySkill> = {}): MemorySkill => ({
  namespace: 'team',
  name,
  description: `Does ${name}.`,
  body: `Do ${name}.`,
  ...more,
});

function library(
  sources: readonly SkillSource[],
  { now, enabled = true, ...settings }: Partial<Settings> & { now?: () => number; enabled?: boolean } = {},
): SkillLibrary {
  return new Library({
    spaces: [{ namespace: 'team', enabled, sources }],
    settings: { ...DEFAULTS.skills, ...settings },
    ...(now ? { now } : {}),
  });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (failure: unknown) => failure,
  );
  return error instanceof TachoError ? error.code : String(error);
}

/** A source that counts its scans and can be made to fail or hang. */
class ControlledSource extends MemorySkillSource {
  scans = 0;
  state: 'up' | 'down' | 'hanging' = 'up';

  override async scan(...call: Parameters<MemorySkillSource['scan']>) {
    this.scans++;
    await this.#act();
    return await super.scan(...call);
  }

  override async readBody(...call: Parameters<MemorySkillSource['readBody']>) {
    await this.#act();
    return await super.readBody(...call);
  }

  async #act(): Promise<void> {
    if (this.state === 'down') throw new Error('connection refused');
    if (this.state === 'hanging') await new Promise(() => {});
  }
}

describe('finding', () => {
  const skills = [skill('review'), skill('notes')];

  test('a skill is found by its mention, or by its name alone', async () => {
    const found = library([new MemorySkillSource('memory', skills)]);
    expect((await found.find('$[team].review')).name).toBe('review');
    expect((await found.find('notes')).namespace).toBe('team');
  });

  test.each([
    ['$[team].other', 'SKILL_UNKNOWN'],
    ['other', 'SKILL_UNKNOWN'],
    ['$[others].review', 'SKILL_SPACE_NOT_CONFIGURED'],
    ['$[team].Review', 'SKILL_MENTION_INVALID'],
    ['use $[team].review', 'SKILL_MENTION_INVALID'],
  ])('%s is refused with %s', async (argument, code) => {
    expect(await codeOf(library([new MemorySkillSource('memory', skills)]).find(argument))).toBe(code);
  });

  test('skills of a disabled space are not found', async () => {
    const disabled = library([new MemorySkillSource('memory', skills)], { enabled: false });
    expect((await disabled.scan()).skills.size).toBe(0);
    await expect(disabled.find('$[team].review')).rejects.toThrow('the namespace team is disabled');
  });

  test('a name in two namespaces needs the mention', async () => {
    const source = new MemorySkillSource('memory', [skill('review'), skill('review', { namespace: 'others' })]);
    const found = new Library({
      spaces: ['team', 'others'].map((namespace) => ({ namespace, enabled: true, sources: [source] })),
      settings: DEFAULTS.skills,
    });
    expect(await codeOf(found.find('review'))).toBe('SKILL_AMBIGUOUS');
    expect((await found.find('$[others].review')).namespace).toBe('others');
  });

  test('the same name twice in a namespace names both places, and the order of sources decides nothing', async () => {
    for (const ids of [
      ['one', 'two'],
      ['two', 'one'],
    ]) {
      const found = library(ids.map((id) => new MemorySkillSource(id, [skill('review'), skill(`of-${id}`)])));
      const { skills, problems } = await found.scan();
      expect([...skills.keys()].sort()).toEqual(['$[team].of-one', '$[team].of-two']);
      expect(problems).toMatchObject([
        { code: 'SKILL_DUPLICATE_NAME', message: expect.stringMatching(/one.*two|two.*one/) },
      ]);
      expect(await codeOf(found.find('$[team].review'))).toBe('SKILL_DUPLICATE_NAME');
      const { injected, refused } = await found.inject('$[team].review $[team].of-one', { env: {} });
      expect(injected.map(({ skill: { name } }) => name)).toEqual(['of-one']);
      expect(refused[0]!.error.message).toMatch(/source one.*source two|source two.*source one/);
    }
  });
});

describe('injecting', () => {
  test('reads the texts of mentioned skills once, in the order of their first mentions', async () => {
    const found = library([new MemorySkillSource('memory', [skill('a'), skill('b'), skill('c')])]);
    const { injected } = await found.inject('first $[team].b, then $[team].a and $[team].b again', { env: {} });
    expect(injected.map(({ body }) => body)).toEqual(['Do b.', 'Do a.']);
  });

  test('nothing is listed or injected when it is switched off', async () => {
    const off = library([new MemorySkillSource('memory', [skill('a')])], { inject: 'off' });
    expect(await off.inject('$[team].a', { env: {} })).toEqual({ injected: [], refused: [] });
    expect(await off.list()).toBe('');
  });

  test('a skill without its variables is refused, and the error names them', async () => {
    const source = new MemorySkillSource('memory', [skill('a', { required_env_vars: ['SET', 'EMPTY', 'UNSET'] })]);
    const { injected, refused } = await library([source]).inject('$[team].a', { env: { SET: 's3cret', EMPTY: '' } });
    expect(injected).toEqual([]);
    expect(refused[0]!.error).toMatchObject({ code: 'SKILL_ENV_MISSING', facts: { missing: ['EMPTY', 'UNSET'] } });
    expect(refused[0]!.error.message).not.toContain('s3cret');
  });

  test('a text over the limit, or over what is left of all, is refused, and smaller ones after it are not', async () => {
    const bodies = { huge: 200, a: 60, b: 60, c: 30 };
    const source = new MemorySkillSource(
      'memory',
      Object.entries(bodies).map(([name, length]) => skill(name, { body: 'x'.repeat(length) })),
    );
    const found = library([source], { body_max_bytes: 100, inject_max_bytes: 100 });
    const text = Object.keys(bodies)
      .map((name) => `$[team].${name}`)
      .join(' ');
    const { injected, refused } = await found.inject(text, { env: {} });
    expect(injected.map(({ skill: { name } }) => name)).toEqual(['a', 'c']);
    expect(refused.map(({ mention, error }) => [mention, error.code])).toEqual([
      ['$[team].huge', 'SKILL_BODY_TOO_LARGE'],
      ['$[team].b', 'SKILL_BUDGET_EXCEEDED'],
    ]);
  });

  test('a mention works although the list had no room for the description of the skill', async () => {
    const skills = Array.from({ length: 500 }, (_, index) =>
      skill(`skill-number-${index}`, { description: 'x'.repeat(400) }),
    );
    const found = library([new MemorySkillSource('memory', skills)]);
    const list = await found.list();
    expect(list.length).toBeLessThanOrEqual(16_000);
    expect(list).toContain('- skill-number-499');
    expect(list).not.toContain('xxx');
    const { injected } = await found.inject('$[team].skill-number-499', { env: {} });
    expect(injected[0]!.body).toBe('Do skill-number-499.');
  });
});

describe('refreshing', () => {
  async function use(found: SkillLibrary): Promise<number> {
    return (await found.current()).skills.size;
  }

  test('always: every use scans', async () => {
    const source = new ControlledSource('memory', [skill('a')]);
    const found = library([source], { refresh: 'always' });
    expect(await use(found)).toBe(1);
    source.add(skill('b'));
    expect([await use(found), source.scans]).toEqual([2, 2]);
  });

  test('ttl: a use scans when the last scan is old', async () => {
    let time = 0;
    const source = new ControlledSource('memory', [skill('a')]);
    const found = library([source], { refresh: 'ttl', ttl_ms: 1000, now: () => time });
    expect(await use(found)).toBe(1);
    source.add(skill('b'));
    time = 999;
    expect([await use(found), source.scans]).toEqual([1, 1]);
    time = 1000;
    expect([await use(found), source.scans]).toEqual([2, 2]);
  });

  test('manual: only scan() scans', async () => {
    const source = new ControlledSource('memory', [skill('a')]);
    const found = library([source], { refresh: 'manual' });
    expect([await use(found), source.scans]).toEqual([0, 0]);
    await expect(found.find('a')).rejects.toMatchObject({ fix: expect.stringContaining('skills.refresh is manual') });
    await found.scan();
    source.add(skill('b'));
    expect([await use(found), source.scans]).toEqual([1, 1]);
  });

  test('uses at the same time share one scan, and scan() sees what was added before it', async () => {
    const source = new ControlledSource('memory', [skill('a')]);
    const found = library([source], { refresh: 'always' });
    const uses = [use(found), use(found)];
    source.add(skill('b'));
    const scan = found.scan();
    await Promise.all(uses);
    expect((await scan).skills.size).toBe(2);
    expect(source.scans).toBe(2);
  });
});

describe('a source that is down', () => {
  test('is a warning, and the other sources are used', async () => {
    const down = new ControlledSource('down', [skill('a')]);
    down.state = 'down';
    const { skills, problems } = await library([down, new MemorySkillSource('up', [skill('b')])]).scan();
    expect([...skills.keys()]).toEqual(['$[team].b']);
    expect(problems).toMatchObject([
      {
        code: 'SKILL_SOURCE_UNAVAILABLE',
        severity: 'warning',
        source: 'down',
        message: expect.stringContaining('refused'),
      },
    ]);
  });

  test('keeps the skills of its last scan listed, refuses their texts, and is used again once it is up', async () => {
    const source = new ControlledSource('memory', [skill('a')]);
    const found = library([source], { refresh: 'always' });
    await found.scan();
    source.state = 'down';
    const { skills, problems } = await found.scan();
    expect(skills.size).toBe(1);
    expect(problems[0]!.message).toContain('the 1 skills of the last scan are listed');
    const { refused } = await found.inject('$[team].a', { env: {} });
    expect(refused[0]!.error.code).toBe('SKILL_SOURCE_UNAVAILABLE');
    source.state = 'up';
    expect((await found.inject('$[team].a', { env: {} })).injected).toHaveLength(1);
    expect((await found.scan()).problems).toEqual([]);
  });

  test('does not hang a scan or an injection, although it ignores the signal', async () => {
    const source = new ControlledSource('memory', [skill('a')]);
    const found = library([source], { refresh: 'manual', source_timeout_ms: 20 });
    await found.scan();
    source.state = 'hanging';
    const { problems } = await found.scan();
    expect(problems).toMatchObject([{ code: 'SKILL_SOURCE_UNAVAILABLE' }]);
    expect(problems[0]!.message).toContain('it did not answer within 20 ms');
    const { refused } = await found.inject('$[team].a', { env: {} });
    expect(refused[0]!.error.code).toBe('SKILL_SOURCE_UNAVAILABLE');
  });
});

describe('openSkills', () => {
  const open = (settings: Partial<Settings>, sources: SkillSource[] = []) =>
    openSkills({ settings: { ...DEFAULTS.skills, ...settings }, workspaceRoot: '/nowhere', env: {}, sources });

  test('a space that names an unknown source is a mistake in the configuration', () => {
    expect(() => open({ spaces: [{ namespace: 'team', enabled: true, sources: ['files'] }] })).toThrow(
      'skills.spaces[0].sources names the source "files", which does not exist',
    );
  });

  test('a program adds sources of its own by their ids', async () => {
    const found = open(
      {
        spaces: [{ namespace: 'team', enabled: true, sources: ['mine'] }],
        sources: [{ id: 'mine', type: 'memory' }],
      },
      [new MemorySkillSource('mine', [skill('a')])],
    );
    expect((await found.scan()).skills.size).toBe(1);
  });

  test('a database whose variable is not set is a warning that names the variable', async () => {
    const found = open({
      spaces: [{ namespace: 'team', enabled: true, sources: ['db', 'cache'] }],
      sources: [
        { id: 'db', type: 'postgres', dsn_env: 'SKILLS_DB' },
        { id: 'cache', type: 'redis', dsn_env: 'SKILLS_CACHE' },
      ],
    });
    const { problems } = await found.scan();
    expect(problems.map(({ message }) => message).join()).toMatch(/SKILLS_DB.*SKILLS_CACHE/);
  });
});
