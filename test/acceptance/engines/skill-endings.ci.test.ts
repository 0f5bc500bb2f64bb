import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fakeEngine } from '../../support/fake-engine.ts';
import { updatingFixtures } from '../../support/live-fixture.ts';
import { ENDINGS, endingFile, type RecordedEnding, WAYS } from '../../support/skill-endings.ts';
import { sandbox } from '../../support/tacho.ts';

const CASES = ENDINGS.flatMap((ending) => WAYS.map((way) => ({ ...ending, way })));

/** UPDATE_FIXTURES=1 writes the recordings anew. */
test.each(CASES)('the recording of $name by $way is what tacho records, and ends as $state', async (given) => {
  const { name, engine, mode, state, way } = given;
  const box = sandbox();
  const env = fakeEngine(engine, 'end-skill.mjs');
  const marker = way === 'contract' ? ['--require-marker'] : [];
  const words = ['--mode', mode, ...marker, `play ${name} as ${engine} by ${way}`];
  const { run_id, exit_code, signal, completion } = await box.json(['run', engine, ...words], { env });
  expect(completion.state).toBe(state);
  const stdout = fs.readFileSync(path.join(box.audit(run_id), 'stdout.1.log'), 'utf8');
  const recorded: RecordedEnding = { stdout, exit_code, signal };
  const file = endingFile(name, way);
  if (updatingFixtures) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
  }
  expect(recorded).toEqual(JSON.parse(fs.readFileSync(file, 'utf8')));
});
