import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunView } from '../../../src/protocol/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { startService, whenResting } from '../../support/service.ts';
import { processesWith, until } from '../../support/tacho.ts';

describe('queued runs all finish, in order, and leave nothing behind', () => {
  test('all runs finish in order, and no process, descriptor or memory leaks', { timeout: 900_000 }, async () => {
    const runs = proofSize({ small: 5, full: 200 });
    const slots = proofSize({ small: 2, full: 8 });
    const seconds = proofSize({ small: '0.1', full: '2' });
    const service = await startService({ env: { TACHO_SERVICE_SLOTS: String(slots) } });
    const pid = service.process.pid!;
    const openBefore = openFiles(pid);
    // Runs of a batch end only after all of them have started, because the start time of a supervisor varies.
    const batchOf = (n: number) => Math.floor(n / slots);
    const gateOf = (batch: number) => path.join(service.home, `gate-${batch}`);
    const created: RunView[] = [];
    for (let n = 0; n < runs; n++) {
      const script = `while [ ! -e '${gateOf(batchOf(n))}' ]; do sleep 0.05; done; sleep ${seconds}`;
      created.push(await service.client.createRun({ command: ['sh', '-c', script] }));
    }
    const memoryBefore = residentBytes(pid);
    for (let batch = 0; batch <= batchOf(runs - 1); batch++) {
      const members = created.filter((_, n) => batchOf(n) === batch);
      await until(() => members.every(({ run_id }) => service.record(run_id).status === 'running'));
      fs.writeFileSync(gateOf(batch), '');
    }
    const ended = await Promise.all(created.map(({ run_id }) => whenResting(service.client, run_id)));
    expect(ended.every(({ status }) => status === 'succeeded')).toBe(true);
    const started = created.map(
      ({ run_id }) => service.events(run_id).find(({ data }) => (data as { status?: string }).status === 'running')!.ts,
    );
    // Runs of a batch start together; batches start in order.
    for (let n = slots; n < runs; n++) expect(started[n]! >= started[n - slots]!).toBe(true);
    await until(() => processesWith(`supervise\u0000${service.home}`).length === 0);
    // An ended supervisor is a zombie until the server collects it.
    await until(() => zombiesOf(pid).length === 0);
    await until(() => openFiles(pid) <= openBefore + 2);
    expect(residentBytes(pid) - memoryBefore).toBeLessThan(50 * 1024 * 1024);
  });
});

/** Without sockets: clients may keep connections open. */
function openFiles(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return fs.readdirSync(folder).filter((fd) => !linkOf(`${folder}/${fd}`).startsWith('socket:')).length;
}

function linkOf(file: string): string {
  try {
    return fs.readlinkSync(file);
  } catch {
    return 'socket:'; // Closed meanwhile.
  }
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
}

function zombiesOf(pid: number): string[] {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return children.filter((child) => / Z /.test(statOf(child)));
}

function statOf(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return ''; // Collected meanwhile.
  }
}
