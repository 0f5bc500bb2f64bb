import path from 'node:path';
import { expect, test } from 'vitest';
import { skillAnswerSchema, skillsAnswerSchema } from '../../src/protocol/index.ts';
import { installSkills } from '../../src/skills/package/install-skills.ts';
import { newSkillFiles } from '../../src/skills/package/new-skill.ts';
import { writeFiles } from '../skills/skill-folder.ts';
import { memoryDirector } from './support/memory-director.ts';
import { serve } from './support/serve.ts';

async function served() {
  const { ask, context } = await serve({ director: memoryDirector() });
  const own = path.join(context.home.root, 'skills');
  const add = (...names: string[]) =>
    installSkills(
      names.map((name) => ({ name, files: newSkillFiles({ name, description: `Does ${name}.`, withSchemas: true }) })),
      own,
    );
  const names = async (query = '') => {
    const { skills, ...rest } = skillsAnswerSchema.parse((await ask(`/v1/skills${query}`)).json);
    return { ...rest, names: skills.map(({ name }) => name) };
  };
  return { ask, own, add, names };
}

test('skills are listed page by page, and those that were added later too', async () => {
  const { add, names } = await served();
  expect(await names()).toEqual({ names: [], next_cursor: null, total: 0, problems: [] });
  add('three', 'one', 'two');
  const first = await names('?limit=2&refresh=1');
  expect(first).toMatchObject({ names: ['one', 'three'], next_cursor: '$[user].three', total: 3 });
  const rest = await names(`?cursor=${encodeURIComponent(first.next_cursor!)}`);
  expect(rest).toMatchObject({ names: ['two'], next_cursor: null });
  expect(await names('?q=DOES%20tw')).toMatchObject({ names: ['two'], total: 1 });
});

test('one skill has its text, files and manifest', async () => {
  const { ask, add } = await served();
  add('review');
  for (const name of ['review', encodeURIComponent('$[user].review')]) {
    const skill = skillAnswerSchema.parse((await ask(`/v1/skills/${name}`)).json);
    expect(skill).toMatchObject({ name: 'review', manifest: { version: '0.1.0' }, body: expect.stringMatching(/^# /) });
    expect(skill.files).toContainEqual({ path: 'assets/runner.json', bytes: expect.any(Number) });
  }
});

test('one skill has its schemas, and what a check finds', async () => {
  const { ask, own, add } = await served();
  add('review');
  const sound = skillAnswerSchema.parse((await ask('/v1/skills/review')).json);
  expect(sound).toMatchObject({ schemas: { input: { type: 'object' }, output: { type: 'object' } }, problems: [] });
  writeFiles(own, { 'review/assets/input.json': '{"type": "objec"}' });
  expect(skillAnswerSchema.parse((await ask('/v1/skills/review')).json)).toMatchObject({
    schemas: {},
    problems: [{ code: 'SKILL_SCHEMA_INVALID', severity: 'error', file: 'assets/input.json', line: 1 }],
  });
});

test('problems have codes, and errors the status of theirs', async () => {
  const { ask, own, add, names } = await served();
  add('review');
  writeFiles(own, { 'broken/SKILL.md': 'nothing' });
  expect(await names()).toMatchObject({
    names: ['review'],
    problems: [{ code: 'SKILL_FRONTMATTER_INVALID', line: 1 }],
  });
  const error = async (address: string) => {
    const { status, json } = await ask(address);
    return [status, json.error.code];
  };
  expect(await error('/v1/skills/reveiw')).toEqual([404, 'SKILL_UNKNOWN']);
  expect(await error('/v1/skills/Not%20A%20Name')).toEqual([400, 'SKILL_MENTION_INVALID']);
  expect(await error(`/v1/skills/${encodeURIComponent('$[team].review')}`)).toEqual([
    404,
    'SKILL_SPACE_NOT_CONFIGURED',
  ]);
  expect(await error('/v1/skills?limit=0')).toEqual([400, 'INVALID_REQUEST']);
});
