import fs from 'node:fs';
import { expect, test } from 'vitest';
import { RecordedRuns } from '../../storage/recorded-runs.ts';
import { screenFixture } from '../../support/recorded-screen.ts';
import { sandbox } from '../../support/tacho.ts';

test('tacho runs --search lists the runs whose conversation or screen has all words', async () => {
  const box = sandbox();
  const runs = new RecordedRuns(box.home);
  const said = runs.add({}, ['Fix the flaky login page']);
  const shown = runs.add({ engine: 'text', command: ['claude'] });
  fs.cpSync(screenFixture('claude').folder.audit, runs.folder(shown.run_id).audit, { recursive: true });

  const found = async (...words: string[]) =>
    (await box.jsonHere<{ runs: { run_id: string }[] }>(['runs', ...words])).runs.map(({ run_id }) => run_id);
  expect(await found('--search', 'login flaky')).toEqual([said.run_id]);
  expect(await found('--search', '"quick safety check"')).toEqual([shown.run_id]);
  expect(await found('--search', 'check', '--status', 'failed')).toEqual([]);

  const none = await box.here(['runs', '--search', 'unheard \u001b[31mword']);
  expect(none.stdout).toBe('No runs have all words of "unheard ␛[31mword".\n');
  const refused = await box.here(['runs', '--search', 'x', '--watch']);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--search cannot be combined with --watch'),
  });
});
