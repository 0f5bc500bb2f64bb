import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { startService, whenResting } from '../../support/service.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { finished, tachoCommand } from '../../support/tacho.ts';

test('Full disk during a run: the policy’s behaviour, a diagnostic, and a verifiable record.', async () => {
  const home = smallDisk('96m');
  const service = await startService({ home });
  const { run_id } = await service.client.createRun({
    command: ['sh', '-c', 'head -c 200000000 /dev/zero | tr "\\0" "x"'],
  });
  const run = await whenResting(service.client, run_id);
  expect(run).toMatchObject({ status: 'failed', last: { reason_code: 'DISK_FULL' } });
  const told = service.events(run_id).filter(({ event }) => event.category === 'diagnostic');
  expect(told.map(({ data }) => (data as { code: string }).code)).toContain('DISK_FULL');
  const verify = await finished(spawn(process.execPath, [tachoCommand, 'verify', run_id, '--data', home]));
  expect(verify.code, verify.stdout).toBe(0);
});
