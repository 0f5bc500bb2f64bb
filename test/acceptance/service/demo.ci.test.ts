import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startService, whenResting } from '../../support/service.ts';
import { finished, tachoCommand } from '../../support/tacho.ts';

test('`tacho demo` runs the scripted agent, which runs commands, writes files and asks a question', async () => {
  const service = await startService();
  const tacho = (...words: string[]) =>
    finished(
      spawn(process.execPath, [tachoCommand, ...words], {
        env: { ...process.env, TACHO_HOME: service.home, NO_COLOR: '1' },
      }),
    );
  const shown = await tacho('demo');
  expect(shown.code, shown.stderr).toBe(10);
  // The server notices a run recorded by a command with a short delay.
  const listed = async () => (await service.client.listRuns()).runs;
  await expect.poll(listed).toMatchObject([{ engine: 'demo', status: 'waiting_user' }]);
  const [asked] = await listed();
  expect((await tacho('reply', asked!.run_id, 'A title')).code).toBe(0);
  expect(await whenResting(service.client, asked!.run_id)).toMatchObject({ status: 'succeeded', attempt: 2 });
  const types = service.events(asked!.run_id).map(({ event }) => event.type);
  expect(types).toEqual(expect.arrayContaining(['tool.call.completed', 'tool.call.failed', 'artifact.created']));
  const report = path.join(service.home, 'runs', asked!.run_id, 'work', 'tacho-demo-report.md');
  expect(fs.readFileSync(report, 'utf8')).toContain('A title');
});
