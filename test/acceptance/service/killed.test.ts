import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RaspEvent } from '../../../src/protocol/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { sharedService, startService, whenResting } from '../../support/service.ts';
import { processesWith, temporaryFolder, until } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';

const shared = sharedService();

describe('killed servers, killed supervisors and power cuts lose no run and no event', () => {
  test('runs outlive the server, and readers resume at their cursor', async () => {
    let service = await startService({ env: { TACHO_SERVICE_SLOTS: '10' } });
    const lines = 'for i in $(seq 1 40); do echo "line $i"; sleep 0.05; done';
    const runs = await Promise.all(
      Array.from({ length: proofSize({ small: 3, full: 10 }) }, () =>
        service.client.createRun({ command: ['sh', '-c', lines] }),
      ),
    );
    const seen = new Map<string, RaspEvent[]>(runs.map(({ run_id }) => [run_id, []]));
    const read = async (runId: string, signal: AbortSignal) => {
      const events = seen.get(runId)!;
      try {
        for await (const event of service.client.followEvents(runId, { cursor: events.at(-1)?.seq ?? 0, signal }))
          events.push(event);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    };
    const first = new AbortController();
    const readers = runs.map(({ run_id }) => read(run_id, first.signal));
    await until(() => [...seen.values()].every((events) => events.length > 3));
    await service.kill();
    first.abort();
    await Promise.all(readers);
    service = await service.again();
    await Promise.all(runs.map(({ run_id }) => read(run_id, new AbortController().signal)));
    for (const { run_id } of runs) {
      expect(await service.client.getRun(run_id)).toMatchObject({ status: 'succeeded' });
      expect(seen.get(run_id)).toEqual(service.events(run_id));
    }
  });

  test('a killed supervisor leaves a complete record and no orphan', async () => {
    const service = shared;
    const { run_id } = await service.client.createRun({
      command: ['sh', '-c', `echo begun; exec sleep 421.${process.pid}`],
    });
    await until(() => service.record(run_id).live?.child);
    await until(() => service.events(run_id).some(({ event }) => event.type === 'raw.stdout'));
    process.kill(service.record(run_id).live!.supervisor.pid, 'SIGKILL');
    const run = await whenResting(service.client, run_id);
    expect(run).toMatchObject({ status: 'failed', last: { reason_code: 'SUPERVISOR_LOST' } });
    expect(processesWith(`sleep\u0000421.${process.pid}`)).toEqual([]);
    expect(await service.client.verify(run_id)).toMatchObject({ verdict: 'intact' });
  });

  test('a copy of the data folder at any moment opens, recovers and verifies', { timeout: 900_000 }, async () => {
    const service = shared;
    const copies: string[] = [];
    const root = temporaryFolder();
    const wanted = proofSize({ small: 4, full: 200 });
    while (copies.length < wanted) {
      // The run lasts until the last copy: a copy made during sealing could have a seal that does not match its files.
      const end = path.join(root, `end-${copies.length}`);
      const script = `while [ ! -e '${end}' ]; do echo "a line"; sleep ${proofSize({ small: 0.02, full: 0.005 })}; done`;
      const { run_id } = await service.client.createRun({ command: ['sh', '-c', script] });
      for (let n = 0; n < 4 && copies.length < wanted; n++) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
        const copy = path.join(root, `copy-${copies.length}`);
        // Unlike a power cut this is not atomic; a file that disappears meanwhile was being replaced.
        mkdirSync(path.join(copy, 'runs'), { recursive: true });
        spawnSync('cp', ['-a', path.join(service.home, 'runs', run_id), path.join(copy, 'runs')]);
        // `live` says which runs recovery may complete; a run is listed there before it starts.
        spawnSync('cp', ['-a', path.join(service.home, 'live'), copy]);
        copies.push(copy);
      }
      writeFileSync(end, '');
      await whenResting(service.client, run_id);
    }
    for (const copy of copies) {
      const tacho = (...words: string[]) =>
        tachoHere([...words, '--data', copy], { cwd: copy, env: process.env as Record<string, string>, input: '' });
      expect((await tacho('show', 'last')).code, copy).toBe(0);
      expect((await tacho('events', 'last')).code, copy).toBe(0);
      const recover = await tacho('recover', 'last');
      expect(recover.code, `${copy}\n${recover.stdout}${recover.stderr}`).toBe(0);
      const verify = await tacho('verify', 'last');
      // A copy made before the attempt started has nothing to seal.
      if (attemptStarted(copy)) expect(verify.code, `${copy}\n${verify.stdout}${verify.stderr}`).toBe(0);
    }
  });
});

function attemptStarted(copy: string): boolean {
  const [runId] = readdirSync(path.join(copy, 'runs'));
  return readdirSync(path.join(copy, 'runs', runId!, '.audit')).some((name) => name.startsWith('stdout.1'));
}
