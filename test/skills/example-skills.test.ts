import { expect, test } from 'vitest';
import { checkPlace } from '../../src/skills/index.ts';
import { compileSchema } from '../../src/skills/package/json-schema.ts';
import { outputExample } from '../../src/skills/patch/output-example.ts';

const checked = await checkPlace('examples/skills');

test('the example skills have no problems', () => {
  expect(checked.flatMap(({ problems }) => problems)).toEqual([]);
  expect(checked.map(({ skill }) => [skill!.name, skill!.manifest.execution_modes])).toEqual([
    ['extract-table', ['auto']],
    ['release-notes', ['auto', 'interactive']],
    ['review-diff', ['auto']],
  ]);
});

test.each(checked.map(({ skill }) => [skill!.name, skill!.schemas.output]))(
  'the example that %s shows to an engine fits its schema, but for patterns',
  async (_, schema) => {
    const check = await compileSchema(schema);
    expect(check(outputExample(schema)).filter(({ message }) => !message.includes('pattern'))).toEqual([]);
  },
);
