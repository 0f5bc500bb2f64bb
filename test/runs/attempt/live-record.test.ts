import path from 'node:path';
import { expect, test } from 'vitest';
import { engineOf } from '../../../src/engines/index.ts';
import { createFileJournal } from '../../../src/journal/index.ts';
import type { RaspEvent } from '../../../src/protocol/index.ts';
import { createRunFolder } from '../../../src/recording/index.ts';
import { AttemptLog } from '../../../src/runs/attempt/attempt-log.ts';
import { Correlator } from '../../../src/runs/attempt/correlation/correlator.ts';
import { statusDraft } from '../../../src/runs/attempt/drafts.ts';
import { LiveRecord } from '../../../src/runs/attempt/live-record.ts';
import { RecordFile } from '../../../src/runs/state/record-file.ts';
import { runRecord } from '../../protocol/samples.ts';
import { temporaryFolder } from '../../support/tacho.ts';

/** A record whose journal blocks while `gate` is closed, and whose clock is set by hand. */
async function startRecord() {
  const folder = createRunFolder(path.join(temporaryFolder(), 'runs'), 'text');
  const files = createFileJournal({ locate: () => folder.audit, fsync: 'off' });
  let gate = Promise.resolve();
  let open = () => {};
  const journal: typeof files = {
    ...files,
    append: async (...given) => {
      await gate;
      return files.append(...given);
    },
  };
  const claim = await journal.claim(folder.runId);
  const profile = engineOf('text');
  const log = new AttemptLog({
    journal,
    claim,
    auditFolder: folder.audit,
    record: RecordFile.begin(folder, runRecord),
    profile,
    correlator: new Correlator(folder.path),
    conversation: null,
  });
  const clock = { time: Date.parse('2026-11-16T08:00:00.000Z') * 1000, now: () => clock.time };
  const held: string[] = [];
  const live = new LiveRecord({
    folder,
    attempt: 1,
    engine: 'text',
    mode: 'split',
    level: 'full',
    header: { startedAt: new Date(), term: 'xterm', cols: 80, rows: 24, command: 'true' },
    clock,
    log,
    profile,
    secrets: [],
    limits: { checkpointBytes: 1e9, checkpointMs: 1e9 },
    onRecorded: () => {},
    onFailure: (error) => {
      throw error;
    },
    pause: () => held.push('pause'),
    resume: () => held.push('resume'),
  });
  return {
    record: live,
    clock,
    held,
    closeGate() {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    openGate: () => open(),
    async finish(): Promise<RaspEvent[]> {
      await live.end({ exit_code: 0, signal: null, time: clock.time / 1000 });
      await live.seal([]);
      live.close();
      const events: RaspEvent[] = [];
      for await (const batch of journal.read(folder.runId)) events.push(...batch);
      await journal.release(folder.runId, claim.epoch);
      return events;
    },
  };
}

const words = (count: number) =>
  Array.from({ length: count }, () =>
    statusDraft({ attempt: 1, engine: 'text' }, '2026-11-16T08:00:00.000Z', 'running'),
  );
const degraded = (events: readonly RaspEvent[]) =>
  events.filter(({ data }) => (data as { code?: string }).code === 'CAPTURE_DEGRADED').map(({ data }) => data);

test('a program that was paused by recording gets a warning with the duration', async () => {
  const { record, clock, held, closeGate, openGate, finish } = await startRecord();
  closeGate();
  record.add(words(1));
  record.add(words(5000));
  expect(held).toEqual(['pause']);
  clock.time += 2_500_000;
  openGate();
  const events = await finish();
  expect(held).toEqual(['pause', 'resume']);
  expect(events.length).toBeGreaterThan(5001);
  expect(degraded(events)).toMatchObject([{ gave_up: 'speed', times: 1, held_back_ms: 2500 }]);
});

test('a short wait for the journal causes no warning', async () => {
  const { record, clock, held, closeGate, openGate, finish } = await startRecord();
  closeGate();
  record.add(words(1));
  record.add(words(5000));
  clock.time += 900_000;
  openGate();
  expect(degraded(await finish())).toEqual([]);
  expect(held).toEqual(['pause', 'resume']);
});
