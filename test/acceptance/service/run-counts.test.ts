import { expect, test } from 'vitest';
import { type Service, startService, whenResting } from '../../support/service.ts';

async function runsByStatus({ url, token }: Service): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  const figures = [...text.matchAll(/^tacho_runs\{status="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(figures.flatMap(([, status, runs]) => (runs === '0' ? [] : [[status, Number(runs)]])));
}

test('metrics count runs by status, including those of earlier servers and excluding deleted ones', async () => {
  let service = await startService();
  const codes = ['0', '0', '3'];
  const runs = await Promise.all(
    codes.map((code) => service.client.createRun({ command: ['sh', '-c', `exit ${code}`] })),
  );
  for (const { run_id } of runs) {
    await whenResting(service.client, run_id);
    // A run that is still being sealed would be live in the next server, too.
    await service.client.result(run_id);
  }
  await service.stop();
  service = await service.again();
  expect(await runsByStatus(service)).toEqual({ succeeded: 2, failed: 1 });
  await service.client.deleteRun(runs[0]!.run_id);
  expect(await runsByStatus(service)).toEqual({ succeeded: 1, failed: 1 });
});
