import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { archiveSource } from '../../../studio/source/archive-source.ts';
import { startService } from '../../support/service.ts';
import { openStudio } from '../../support/studio.ts';
import { finished, sandbox, until } from '../../support/tacho.ts';

test('a seal made by recovery is marked as such wherever the run is shown', async () => {
  const box = sandbox();
  const child = box.start(['run', '--', 'sh', '-c', 'echo begun; exec sleep 300']);
  const ended = finished(child);
  await until(() => {
    const [id] = fs.existsSync(path.join(box.home, 'runs')) ? box.runIds() : [];
    const file = id && path.join(box.audit(id), 'stdout.1.log');
    return file && fs.existsSync(file) && fs.statSync(file).size > 0;
  });
  child.kill('SIGKILL');
  await ended;
  const [runId] = box.runIds() as [string];
  expect((await box.tacho(['recover'])).stdout).toContain(runId);

  const verified = await box.here(['verify', runId]);
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('sealed by tacho recover') });
  expect((await box.here(['show', runId])).stdout).toContain('recovered: its recorder died');
  expect((await box.here(['runs'])).stdout).toContain('failed (–), recovered');

  const service = await startService({ home: box.home });
  expect(await service.client.getRun(runId)).toMatchObject({ recovered: [1] });
  expect((await service.client.listRuns()).runs).toMatchObject([{ recovered: [1] }]);
  expect(await service.client.verify(runId)).toMatchObject({ verdict: 'intact', recovered: [1] });

  const archive = await archiveSource(await new Response(await service.client.bundle(runId)).blob());
  expect(await archive.run()).toMatchObject({ recovered: [1] });
  const head = (await box.here(['ledger', 'head'])).stdout.trim();
  expect(await archive.verify()).toMatchObject({ verdict: 'intact', recovered: [1], ledger_head: head });

  for (const [locale, word, verify, sentence] of [
    ['en-US', 'recovered', 'Verify', 'tacho recover completed and sealed it'],
    ['zh-CN', '已恢复', '校验', '由 tacho recover 补全并封存'],
  ] as const) {
    const { page } = await openStudio(service, `/runs/${runId.slice(-8)}`, { locale });
    await page.locator('.run-header').getByText(word, { exact: true }).waitFor();
    await page.getByRole('button', { name: verify }).first().click();
    await page.locator('.popover').getByText(sentence).waitFor();
    await page.goto(service.url);
    await page.locator('.run-row').getByText(word, { exact: true }).waitFor();
  }
});
