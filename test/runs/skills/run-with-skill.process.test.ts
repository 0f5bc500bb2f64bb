import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isEvent } from '../../../src/protocol/index.ts';
import { writeFiles } from '../../skills/skill-folder.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { type RunAnswer, sandbox } from '../../support/tacho.ts';
import { eventsOf, input, openService, whenEnded } from '../service/open-service.ts';
import { plainSkill, REVIEW } from './skilled.ts';

const BASE_URL = 'http://127.0.0.1:9';
const FILES = { review: REVIEW, notes: plainSkill('notes') };

interface Seen {
  prompt: string;
  file: string;
  text: string;
  skills: string[];
}

function addSkills(dataFolder: string): void {
  for (const [name, files] of Object.entries(FILES)) writeFiles(path.join(dataFolder, 'skills', name), files);
}

test('an engine gets the skill, its input and further skills; afterwards nothing is left of them', async () => {
  const box = sandbox();
  addSkills(box.home);
  writeFiles(box.work, { 'in.json': '{"path": "src"}' });
  const words = ['--skill', 'review', '--skills', 'notes', '--input', '@in.json', '--param', 'strict=true'];
  const run = await box.jsonHere(['run', 'codex', '--base-url', BASE_URL, ...words, 'Be kind.'], {
    env: fakeEngine('codex', 'codex-skill.mjs'),
  });
  expect(run).toMatchObject({ exit_code: 0, attempt: 1 });
  const events = box.events(run.run_id);
  const [said] = events.filter((event) => isEvent(event, 'agent.message.final'));
  const seen = JSON.parse((said!.data as { text: string }).text) as Seen;
  expect(seen).toMatchObject({ skills: ['notes', 'review'], text: expect.stringContaining('Read the diff.') });
  expect(seen.text).toContain('"__SKILL_DONE__": true');
  expect(seen.prompt).toMatch(/Review it with care\..*"path": "src".*"strict": true.*Be kind\.$/s);
  const handle = run.run_id.slice(-8);
  expect(seen.file).toBe(path.join(box.home, 'env/skills', handle, 'skills/review/SKILL.md'));
  expect(fs.readdirSync(path.join(box.home, 'env/skills'))).toEqual([]);
  const requested = events.find((event) => isEvent(event, 'lifecycle.run.requested'))!;
  expect(requested.data).toMatchObject({
    request: {
      skill: 'review',
      input: { path: 'src' },
      parameters: { strict: true },
      packages: [
        { role: 'main', version: '1.2.0' },
        { role: 'extra', name: 'notes' },
      ],
    },
  });
});

test('a request that is refused leaves no run', async () => {
  const box = sandbox();
  addSkills(box.home);
  const env = fakeEngine('codex', 'codex-skill.mjs');
  const refused = await box.jsonHere<RunAnswer & { error: { code: string; details: object } }>(
    ['run', 'codex', '--base-url', BASE_URL, '--skill', 'review', '--input', '{"depth": "x"}'],
    { env },
  );
  expect(refused.error).toMatchObject({
    code: 'INPUT_INVALID',
    details: { violations: expect.arrayContaining([{ field: 'input', path: '/depth', message: 'must be integer' }]) },
  });
  expect(refused.finished.code).toBe(2);
  const plain = await box.here(['run', '--skill', 'review', 'true'], { env });
  expect(plain).toMatchObject({ code: 2, stderr: expect.stringContaining('--skill is for engines') });
  const without = await box.here(['run', 'codex', '--param', 'a=1', 'fix it'], { env });
  expect(without.stderr).toContain('--param needs a skill');
  const notJson = await box.here(['run', 'codex', '--skill', 'review', '--input', '{path}'], { env });
  expect(notJson.stderr).toContain('--input: the value is not JSON');
  expect(fs.existsSync(path.join(box.home, 'runs'))).toBe(false);
});

test('a server takes the skill when it accepts the run, and uses these bytes when it starts', async () => {
  const env = fakeEngine('codex', 'codex-skill.mjs');
  const { director, home } = await openService({ env, slots: 1 });
  addSkills(home);
  const wanted = { engine: 'codex', base_url: BASE_URL, skill: 'review' };
  await expect(director.create(input(wanted))).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  const go = path.join(home, 'go');
  await director.create(input({ command: ['sh', '-c', `until [ -e ${go} ]; do sleep 0.02; done`] }));
  const { run_id } = await director.create(input({ ...wanted, input: { path: 'src' } }));
  fs.writeFileSync(path.join(home, 'skills/review/SKILL.md'), plainSkill('review')['SKILL.md']!);
  fs.writeFileSync(go, '');
  await whenEnded(director, run_id);
  const [said] = eventsOf(home, run_id).filter((event) => isEvent(event, 'agent.message.final'));
  expect(JSON.parse((said!.data as { text: string }).text)).toMatchObject({
    text: expect.stringContaining('Read the diff.'),
  });
});
