import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/index.ts';
import { listSkills, MemorySkillSource, SkillLibrary } from '../../src/skills/index.ts';
import { proofSize } from '../support/proof-size.ts';

const skill = (namespace: string, name: string, description: string) => ({ namespace, name, description });

test('skills are grouped by namespace and sorted', () => {
  const list = listSkills([skill('b', 'two', 'Second.'), skill('a:c', 'one', 'First.'), skill('b', 'one', '')], 16_000);
  expect(list.split('\n').slice(1)).toEqual(['[a:c]', '- one: First.', '[b]', '- one', '- two: Second.']);
});

test('nothing is listed without skills or without room', () => {
  expect(listSkills([], 16_000)).toBe('');
  expect(listSkills([skill('a', 'b', 'c')], 0)).toBe('');
  expect(listSkills([skill('a', 'b', 'c')], 20)).toBe('');
});

test('the longest descriptions are cut first, all to the same length', () => {
  const list = listSkills(
    [skill('a', 'long', 'x'.repeat(500)), skill('a', 'longer', 'y'.repeat(900)), skill('a', 'short', 'Short one.')],
    500,
  );
  const lengths = list
    .split('\n')
    .slice(2)
    .map((line) => line.replace(/^- \w+: /, '').length);
  expect(list.length).toBeLessThanOrEqual(500);
  expect(lengths[0]).toBe(lengths[1]);
  expect(list).toContain('- short: Short one.');
});

test('500 skills fit the default budget, each is still named, and one without its description can be mentioned', async () => {
  const source = new MemorySkillSource('memory');
  const skills = Array.from({ length: 500 }, (_, index) => ({
    ...skill(`team:area-${index % 7}`, `skill-number-${index}`, 'Does one thing well. '.repeat(30)),
    body: `Do number ${index}.`,
  }));
  for (const one of skills) source.add(one);
  const spaces = [...new Set(skills.map(({ namespace }) => namespace))].map((namespace) => ({
    namespace,
    enabled: true,
    sources: [source],
  }));
  const listed = (settings: Partial<typeof DEFAULTS.skills>) =>
    new SkillLibrary({ spaces, settings: { ...DEFAULTS.skills, ...settings } });
  const list = await listed({}).list();
  expect(DEFAULTS.skills.list_max_chars).toBe(16_000);
  expect(list.length).toBeLessThanOrEqual(16_000);
  const lines = new Set(list.split('\n').map((line) => line.split(':')[0]));
  for (const { name } of skills) expect(lines).toContain(`- ${name}`);

  const library = listed({ list_max_chars: 12_000 });
  expect(await library.list()).toMatch(/^- skill-number-499$/m);
  const { injected } = await library.inject('Use $[team:area-2].skill-number-499.', { env: {} });
  expect(injected.map(({ body }) => body)).toEqual(['Do number 499.']);
});

test('when names do not fit, each namespace keeps as many, and the list counts the others', () => {
  const skills = ['a', 'b'].flatMap((namespace) =>
    Array.from({ length: namespace === 'a' ? 5000 : 10 }, (_, index) => skill(namespace, `name-${index}`, 'x')),
  );
  const list = listSkills(skills, 16_000);
  expect(list.length).toBeLessThanOrEqual(16_000);
  expect(list.slice(list.indexOf('[b]')).match(/^- /gm)).toHaveLength(10);
  const named = list.match(/^- /gm)!.length;
  expect(list).toContain(`(and ${5010 - named} more, which can be mentioned too)`);
});

test('a cut never splits a character', () => {
  const list = listSkills([skill('a', 'b', '👍'.repeat(300))], 400);
  expect(list).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
});

test('the list never exceeds its budget', () => {
  const skills = fc.array(
    fc.record({
      namespace: fc.constantFrom('a', 'b:c', 'team:product'),
      name: fc.stringMatching(/^[a-z0-9_-]{1,64}$/),
      description: fc.string({ maxLength: 300, unit: 'grapheme' }),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(skills, fc.integer({ min: 0, max: 6000 }), (all, budget) => {
      expect(listSkills(all, budget).length).toBeLessThanOrEqual(budget);
    }),
    { numRuns: proofSize({ small: 50, full: 2000 }) },
  );
});
