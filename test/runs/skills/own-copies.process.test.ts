import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../skills/skill-folder.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { temporaryFolder, until } from '../../support/tacho.ts';
import { input, openService, whenEnded } from '../service/open-service.ts';
import { REVIEW } from './skilled.ts';

interface Seen {
  text: string;
  inHome: string[];
  sees: string;
}

test('two runs of one skill in different modes see their own copy, and the repository stays as it is', async () => {
  const env = fakeEngine('codex', 'codex-waits.mjs');
  const { director, home } = await openService({ env, slots: 2 });
  writeFiles(path.join(home, 'skills/review'), REVIEW);
  const cwd = temporaryFolder();
  const status = () => execFileSync('git', ['status', '--porcelain', '--ignored'], { cwd, encoding: 'utf8' });
  execFileSync('git', ['init', '--quiet'], { cwd });
  const place = temporaryFolder();
  const go = path.join(place, 'go');
  const start = (mode: string) =>
    director.create(
      input({
        engine: 'codex',
        base_url: 'http://127.0.0.1:9',
        skill: 'review',
        input: { path: 'src' },
        mode,
        cwd,
        env: { CODEX_SEEN: path.join(place, mode), CODEX_GO: go },
      }),
    );
  const modes = ['auto', 'interactive'];
  const runs = [await start('auto'), await start('interactive')];
  await until(() => modes.every((mode) => fs.existsSync(path.join(place, mode))));
  expect(status()).toBe('');
  const [auto, interactive] = modes.map(
    (mode) => JSON.parse(fs.readFileSync(path.join(place, mode), 'utf8')) as Seen,
  ) as [Seen, Seen];
  expect(auto.text).toContain('## No questions');
  expect(auto.text).not.toContain('## Questions');
  expect(interactive.text).toContain('## Questions');
  expect([auto.inHome, interactive.inHome]).toEqual([['review'], ['review']]);
  expect(auto.sees).toBe(path.join(fs.realpathSync(home), 'env/skills', runs[0]!.handle, 'skills'));
  expect(interactive.sees).not.toBe(auto.sees);
  // Nothing of it is in the home that runs share.
  expect(fs.existsSync(path.join(home, 'env/home/.agents'))).toBe(false);
  fs.writeFileSync(go, '');
  await Promise.all(runs.map(({ run_id }) => whenEnded(director, run_id)));
  expect(status()).toBe('');
  await until(() => fs.readdirSync(path.join(home, 'env/skills')).length === 0);
});
