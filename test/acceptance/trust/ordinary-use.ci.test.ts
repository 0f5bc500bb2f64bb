import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { SinceAnswer, VerificationAnswer } from '../../../src/protocol/index.ts';
import { input, openService, whenEnded } from '../../runs/service/open-service.ts';
import { fakeEngineIn } from '../../support/fake-engine.ts';
import { proofSize } from '../../support/proof-size.ts';
import { sharedService } from '../../support/service.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { finished, removeFolder } from '../../support/tacho.ts';
import { inParallel } from '../../terminal/run-terminal.ts';
import { Daemon, makePlace, type Place, records, startCommand, tacho } from '../failures/drive.ts';
import { CRASHES, type EndedRun, type Scene, SIMILAR, SLOTS, WAYS } from './ordinary-ways.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-ordinary-'));
afterAll(() => removeFolder(folder));
const engine = fakeEngineIn(folder, 'codex', 'codex-asks.mjs');
const service = sharedService({ env: { ...engine, TACHO_SERVICE_SLOTS: String(SLOTS) } });
const PARALLEL = 3;

async function answer<T>(place: Place, words: readonly string[]): Promise<T> {
  const { stdout } = await tacho(place, ...words, '--json');
  return JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as T;
}

async function headOf(place: Place): Promise<string> {
  return (await tacho(place, 'ledger', 'head')).stdout.trim();
}

/** verify reports no run as changed, interrupted or missing since the head. */
async function expectNoAlarm(place: Place, head: string, runs: readonly EndedRun[]): Promise<void> {
  for (const { runId, status, recovered = false } of runs) {
    const verified = await answer<VerificationAnswer>(place, ['verify', runId]);
    const context = JSON.stringify({ runId, status, problems: verified.problems });
    expect(verified, context).toMatchObject({ verdict: 'intact', code: null, problems: [] });
    expect(verified.recovered.length > 0, context).toBe(recovered);
    expect(verified.older_than_ledger, context).toEqual([]);
  }
  await expectNoneMissing(place, head);
  expect(fs.readdirSync(path.join(place.home, 'live'))).toEqual([]);
  expect((await tacho(place, 'recover')).stdout).toBe('Nothing to complete.\n');
}

async function expectNoneMissing(place: Place, head: string): Promise<void> {
  for (const deep of [[], ['--deep']]) {
    const since = await answer<SinceAnswer>(place, ['verify', '--since', head, ...deep]);
    expect(since).toMatchObject({ verdict: 'intact', problems: [] });
  }
}

test('runs that end in any ordinary way raise no alarm', { timeout: 3_600_000 }, async () => {
  const place = makePlace({ home: service.home, env: engine });
  const scene: Scene = { place, service, daemon: new Daemon(place) };
  const head = await headOf(place);
  const ended: EndedRun[] = [];
  const times = proofSize({ small: 1, full: 17 });
  const go = async (ways: typeof WAYS, [way, round]: readonly [string, number]) => {
    const runs = await ways[way]!(scene).catch((cause: unknown) => {
      throw new Error(`${way}, round ${round}`, { cause });
    });
    ended.push(...runs);
  };
  const left = proofSize({ small: SIMILAR, full: [] });
  const chosen = (ways: typeof WAYS) => Object.keys(ways).filter((way) => !left.includes(way));
  const rounds = (ways: typeof WAYS, count: number) =>
    Array.from({ length: count }, (_, round) => chosen(ways).map((way) => [way, round] as const)).flat();
  await inParallel(rounds(WAYS, times), PARALLEL, (turn) => go(WAYS, turn));
  for (const turn of rounds(CRASHES, proofSize({ small: 1, full: 4 }))) await go(CRASHES, turn);
  expect(ended.length).toBeGreaterThanOrEqual(proofSize({ small: 30, full: 500 }));
  await expectNoAlarm(place, head, ended);
  for (const { runId } of ended.slice(0, 5)) {
    expect(await service.client.verify(runId)).toMatchObject({ verdict: 'intact', problems: [] });
  }
  // Pruned runs do not count as missing.
  const { stdout } = await tacho(place, 'prune', '--older-than', '1ms', '--status', 'canceled');
  expect(stdout).toMatch(/^[1-9]\d* runs? removed/);
  await expectNoneMissing(place, head);
});

test('a run whose supervisor died three times raises no alarm', async () => {
  const { director, home } = await openService({ command: ['/bin/false'] });
  const place = makePlace({ home });
  const head = await headOf(place);
  const { run_id } = await director.create(input({ command: ['true'] }));
  const { status } = await whenEnded(director, run_id);
  expect(status).toBe('failed');
  await expect.poll(() => fs.readdirSync(path.join(home, 'live')), { timeout: 60_000 }).toEqual([]);
  await expectNoAlarm(place, head, [{ runId: run_id, status }]);
});

test('a run that fills the disk raises no alarm', async () => {
  const place = makePlace({ home: smallDisk('4m'), env: { TACHO_LIMITS_DISK_FLOOR_BYTES: '1000000' } });
  const head = await headOf(place);
  await finished(startCommand(place, ['sh', '-c', 'head -c 10000000 /dev/zero | tr "\\0" x']));
  const [run] = records(place);
  expect(run).toMatchObject({ status: 'failed', last: { reason_code: 'DISK_FULL' } });
  await expectNoAlarm(place, head, [{ runId: run!.run_id, status: 'failed' }]);
});
