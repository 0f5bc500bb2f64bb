import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { BAD, COUNT_SKILL, GOOD } from '../../runs/result/count-skill.ts';
import { skillFile, writeFiles } from '../../skills/skill-folder.ts';
import { fakeEngineIn } from '../../support/fake-engine.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { expectQuiet, sharedStudio, visit } from '../../support/studio.ts';
import { removeFolder } from '../../support/tacho.ts';

const programs = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-programs-'));
const service = sharedService({ env: fakeEngineIn(programs, 'codex', 'codex-result.mjs') });
afterAll(() => removeFolder(programs));
const open = sharedStudio(service);

const INPUT = {
  type: 'object',
  required: ['diff'],
  properties: {
    diff: { type: 'string', minLength: 3, description: 'The diff to review.' },
    depth: { type: 'integer', default: 2, maximum: 5 },
    level: { enum: ['low', 'high'] },
    rules: { type: 'array', items: { type: 'string' } },
  },
};

function addSkills(): void {
  const manifest = { version: '1.2.0', unsupported_engines: ['codex'], schemas: { input: 'input.json' } };
  writeFiles(path.join(service.home, 'skills'), {
    'review/SKILL.md': skillFile('review', { body: 'Read the **whole** diff.\n' }),
    'review/assets/runner.json': JSON.stringify(manifest),
    'review/input.json': JSON.stringify(INPUT),
    'notes/SKILL.md': skillFile('notes'),
    'broken/SKILL.md': '---\nname: broken\n---\nText\n',
  });
}

test('the page of skills says how to get one, then lists them with problems and search', async () => {
  const studio = await open('/skills');
  const { page } = studio;
  await page.getByText('No skills yet.').waitFor();
  await page.getByText('tacho skills new review').waitFor();

  addSkills();
  await page.getByRole('button', { name: 'Scan again' }).click();
  const rows = page.getByRole('grid', { name: 'Skills' }).locator('tbody tr');
  await rows.first().waitFor();
  expect(await rows.locator('.skills-name').allTextContents()).toEqual(['notes', 'review']);
  await page.getByText('1 problem').click();
  await page.getByText('SKILL_FIELD_MISSING').waitFor();

  await page.keyboard.press('/');
  await page.keyboard.type('does NOT');
  await expect.poll(() => rows.locator('.skills-name').allTextContents()).toEqual(['notes']);
  await page.keyboard.press('Escape');
  await expect.poll(() => rows.count()).toBe(2);
  await rows.last().click();
  await page.waitForURL(/\/skills\/user\/review$/);
  await page.getByText('No problems found').waitFor();
  await page.getByText('Read the whole diff.').waitFor();
  await page.getByText('all except codex').waitFor();
  expectQuiet(studio);
});

test('a skill is tried with a form made from its schema, and the run shows the skill', async () => {
  addSkills();
  const { page } = await open('/skills/user/review');
  const form = page.locator('form.try-it');
  const engine = form.getByLabel('Engine');
  await expect.poll(() => engine.inputValue()).not.toBe('');
  expect(await engine.locator('option[value="codex"]').isDisabled()).toBe(true);
  await engine.selectOption('demo');
  const start = form.getByRole('button', { name: 'Start the run' });
  const problems = form.locator('.field-problem');

  await start.click();
  await expect.poll(() => problems.allTextContents()).toEqual(['Required.']);
  const diff = form.getByLabel('diff');
  expect(await diff.evaluate((field) => field === document.activeElement)).toBe(true);

  await diff.fill('-a');
  await form.getByLabel(/^depth/).fill('9');
  await start.click();
  await expect.poll(() => problems.count()).toBe(2);
  expect(await problems.allTextContents()).toEqual([
    expect.stringContaining('must NOT have fewer than 3 characters'),
    expect.stringContaining('must be <= 5'),
  ]);

  await diff.fill('-a\n+b');
  await form.getByLabel(/^depth/).fill('3');
  await form.getByLabel(/^level/).selectOption('high');
  await form.getByRole('button', { name: 'Add' }).click();
  await form.getByRole('textbox', { name: 'rules 1' }).fill('be kind');
  await start.click();
  await page.waitForURL(/\/runs\//);
  const { run_id } = await service.client.getRun(new URL(page.url()).pathname.split('/')[2]!);
  await whenResting(service.client, run_id);
  const requested = service.events(run_id).find(({ event }) => event.type === 'lifecycle.run.requested')!;
  expect(requested.data).toMatchObject({
    request: {
      engine: 'demo',
      skill: '$[user].review',
      input: { diff: '-a\n+b', depth: 3, level: 'high', rules: ['be kind'] },
    },
  });

  await page.getByRole('tab', { name: 'Skill' }).click();
  const pane = page.locator('[data-pane="skill"]');
  await pane.getByText('$[user].review').waitFor();
  await pane.getByText('1.2.0').waitFor();
  await pane.getByText('be kind').waitFor();
  await pane.getByText('Not checked: the skill has no output schema').waitFor();
});

test('a run shows whether its result follows the contract, and its artifacts, also from an archive', async () => {
  writeFiles(path.join(service.home, 'skills/count'), COUNT_SKILL);
  const turns = [{ say: BAD }, { say: GOOD, artifacts: { 'report.md': '# Three\n' } }];
  const { run_id } = await service.client.createRun({
    engine: 'codex',
    base_url: 'http://127.0.0.1:9',
    skill: 'count',
    input: { turns },
  });
  await whenResting(service.client, run_id);
  const studio = await open(`/runs/${run_id}?tab=skill`);
  const { page } = studio;
  const pane = page.locator('[data-pane="skill"]');
  await pane.getByText('✔ Valid: the result matches the output schema').waitFor();
  await pane.getByText('attempt 2 was a repair turn').waitFor();
  await pane.getByText('lines: 3').waitFor();
  await pane.getByText('how to finish').waitFor();
  const download = async () => {
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      pane.getByRole('button', { name: 'Download report.md' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('report.md');
    expect(String(await buffer(await saved.createReadStream()))).toBe('# Three\n');
  };
  await download();

  const zip = await buffer((await service.client.bundle(run_id)) as unknown as AsyncIterable<Uint8Array>);
  await visit(page, '/open');
  await page.locator('input[type="file"]').setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer: zip });
  await page.getByRole('tab', { name: 'Skill' }).click();
  await pane.getByText('✔ Valid: the result matches the output schema').waitFor();
  await download();
  expectQuiet(studio);
});
