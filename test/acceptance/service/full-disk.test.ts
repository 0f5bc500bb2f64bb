import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { startService, whenResting } from '../../support/service.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { finished, tachoCommand } from '../../support/tacho.ts';

test('a full disk fails the run with a diagnostic and a verifiable record, and the server keeps running', async () => {
  const { size, floor, output } = proofSize({
    small: { size: '24m', floor: '8MiB', output: 50_000_000 },
    full: { size: '96m', floor: '64MiB', output: 200_000_000 },
  });
  const home = smallDisk(size);
  const service = await startService({ home, env: { TACHO_LIMITS_DISK_FLOOR_BYTES: floor } });
  const { run_id } = await service.client.createRun({
    command: ['sh', '-c', `head -c ${output} /dev/zero | tr "\\0" "x"`],
  });
  const run = await whenResting(service.client, run_id);
  expect(run).toMatchObject({ status: 'failed', last: { reason_code: 'DISK_FULL' } });
  const diagnostics = service.events(run_id).filter(({ event }) => event.category === 'diagnostic');
  expect(diagnostics.map(({ data }) => (data as { code: string }).code)).toContain('DISK_FULL');
  const verify = await finished(spawn(process.execPath, [tachoCommand, 'verify', run_id, '--data', home]));
  expect(verify.code, verify.stdout).toBe(0);

  // The server keeps running: it refuses new runs with the reason, and answers other requests.
  fillUp(path.join(home, 'filler'));
  await expect(service.client.createRun({ command: ['true'] })).rejects.toMatchObject({ code: 'DISK_FULL' });
  for (let n = 0; n < 50; n++) await service.client.listRuns({ q: 'head' });
  expect(await service.client.getRun(run_id)).toMatchObject({ status: 'failed' });
});

function fillUp(file: string): void {
  const descriptor = fs.openSync(file, 'a');
  try {
    for (;;) fs.writeSync(descriptor, Buffer.alloc(65_536));
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
  } finally {
    fs.closeSync(descriptor);
  }
}
