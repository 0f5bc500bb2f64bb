import { expect, test } from 'vitest';
import { type KeyProgram, keyPrograms, typeThrough } from '../../support/key-programs.ts';
import { proofSize } from '../../support/proof-size.ts';
import { startService, whenResting } from '../../support/service.ts';
import { openStudio } from '../../support/studio.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const NAMED: Record<string, string> = {
  '\r': 'Enter',
  '\t': 'Tab',
  '\x1b': 'Escape',
  '\x03': 'Control+c',
  '\x1a': 'Control+z',
};

test('keys typed in the Studio reach programs that read them from either terminal', async () => {
  const service = await startService();
  const { client } = service;
  const programs = keyPrograms(temporaryFolder());
  const some = programs.filter(({ name }) => /^(less|a plain read$)/.test(name));
  for (const program of proofSize<readonly KeyProgram[]>({ small: some, full: programs })) {
    const { run_id } = await client.createRun({ command: [...program.argv], cols: 80, rows: 24 });
    const { page } = await openStudio(service, `/runs/${run_id}?tab=terminal`);
    await page.getByRole('button', { name: 'Type into terminal' }).click();
    const output = async () => Buffer.from(await client.raw(run_id, 'pty', 1)).toString();
    const type = async (keys: string) => {
      for (const key of keys) await (NAMED[key] ? page.keyboard.press(NAMED[key]) : page.keyboard.type(key));
    };
    await typeThrough(program, { output, type });
    await whenResting(client, run_id);
    const { exitCode, signal = null } = program.ends;
    // The run record is written after the events.
    await expect
      .poll(() => service.record(run_id).last, { message: program.name })
      .toMatchObject({ exit_code: exitCode, signal });
    if (program.prints) expect(await output()).toMatch(program.prints);
    if (program.hides) expect(await output()).not.toContain(program.hides);
    await page.close();
  }
});

test('keys typed before the program’s first recorded byte reach it', async () => {
  const service = await startService();
  const { client } = service;
  const { run_id } = await client.createRun({ command: ['sh', '-c', 'read -r line; echo "got <$line>"'] });
  const { page } = await openStudio(service);
  // The server's answer between the start of an attempt and the first byte of its files.
  let isRecorded = false;
  const json = { first_ts: null, last_ts: null, bytes: {}, at: null, chunks: [], next_cursor: null, total: 0 };
  await page.route(/\/timing\//, (route) => (isRecorded ? route.continue() : route.fulfill({ json })));
  const asked = page.waitForResponse(/\/timing\//);
  await page.goto(`${service.url}/runs/${run_id}?tab=terminal`);
  await asked;
  await page.getByRole('button', { name: 'Type into terminal' }).click();
  isRecorded = true;
  await page.keyboard.type('someone');
  await page.keyboard.press('Enter');
  await whenResting(client, run_id);
  expect(Buffer.from(await client.raw(run_id, 'pty', 1)).toString()).toContain('got <someone>');
});
