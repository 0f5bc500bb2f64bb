import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isEvent, type RunRecord } from '../../../src/protocol/index.ts';
import { runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import { BAD, COUNT_SKILL, GOOD } from '../../runs/result/count-skill.ts';
import { eventsOf, openService, input as runInput, whenEnded } from '../../runs/service/open-service.ts';
import { writeFiles } from '../../skills/skill-folder.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { proofSize } from '../../support/proof-size.ts';
import { finished, processesWith, sandbox, signalIfThere, until } from '../../support/tacho.ts';

const BASE_URL = 'http://127.0.0.1:9';
const input = { turns: [{ say: BAD }, { say: GOOD }] };

test('a command killed at any moment leaves a run that ends, with at most one repair turn', {
  timeout: 3_600_000,
}, async () => {
  const box = sandbox();
  writeFiles(path.join(box.home, 'skills/count'), COUNT_SKILL);
  const env = fakeEngine('codex', 'codex-result.mjs');
  const start = (folder: string) => {
    fs.mkdirSync(path.join(box.work, folder), { recursive: true });
    const words = ['run', 'codex', '--base-url', BASE_URL, '--skill', 'count', '--input', JSON.stringify(input)];
    return box.start([...words, '--translate', '0', '--quiet'], { env, cwd: path.join(box.work, folder) });
  };
  const begun = Date.now();
  await finished(start('whole'));
  const [whole] = box.runIds();
  const times = eventsOf(box.home, whole!).filter((event) => isEvent(event, 'lifecycle.run.status'));
  const at = (reason: string) =>
    Date.parse(times.find(({ data }) => 'reason_code' in data && data.reason_code === reason)!.ts) - begun;
  const [repairAt, endAt] = [at('repair_requested'), at('DONE_MARKER')];
  for (let done = 0; done < proofSize({ small: 6, full: 100 }); done++) {
    const child = start(`killed-${done}`);
    const end = finished(child);
    // Most of them around the moment between the two attempts.
    const moment = done % 3 === 0 ? Math.random() * endAt : repairAt + (Math.random() - 0.3) * 0.3 * (endAt - repairAt);
    await new Promise((resolve) => setTimeout(resolve, moment));
    child.kill('SIGKILL');
    await end;
  }
  const { director } = await openService({ home: box.home, env });
  for (const runId of box.runIds()) {
    const folder = path.join(box.home, 'runs', runId);
    // Killed before it was accepted.
    if (!fs.existsSync(path.join(folder, '.run.json'))) continue;
    expect((await whenEnded(director, runId)).status).toMatch(/succeeded|failed/);
    await until(
      () => (JSON.parse(fs.readFileSync(path.join(folder, '.run.json'), 'utf8')) as { live: null }).live === null,
    );
    const events = eventsOf(box.home, runId);
    const repairs = events.filter(
      (event) => isEvent(event, 'interaction.reply.accepted') && event.data.source === 'repair',
    );
    expect(repairs.length).toBeLessThanOrEqual(1);
    const requested = events
      .filter((event) => isEvent(event, 'lifecycle.run.status'))
      .map(({ data }) => data.reason_code);
    // What was promised is kept, unless the recorder died in that very attempt.
    const story = events
      .filter(({ source }) => source.stream === null)
      .map(
        ({ event, data, attempt_number }) => `${attempt_number} ${event.type} ${JSON.stringify(data).slice(0, 200)}`,
      );
    const isLost = events.some(
      (event) => isEvent(event, 'diagnostic.runtime.warning') && event.data.code === 'SUPERVISOR_LOST',
    );
    if (requested.includes('repair_requested') && !isLost) expect(repairs, story.join('\n')).toHaveLength(1);
    expect((await verifyRun(runFolderAt(folder))).problems).toEqual([]);
  }
  expect(fs.readdirSync(path.join(box.home, 'private'))).toEqual([]);
});

test('a supervisor killed while it seals the first attempt leaves a repair turn that the server carries out', {
  timeout: 3_600_000,
}, async () => {
  const env = fakeEngine('codex', 'codex-result.mjs');
  const { director, home } = await openService({ env, slots: 1 });
  writeFiles(path.join(home, 'skills/count'), COUNT_SKILL);
  for (let done = 0; done < proofSize({ small: 3, full: 50 }); done++) {
    const { run_id } = await director.create(runInput({ engine: 'codex', base_url: BASE_URL, skill: 'count', input }));
    const folder = path.join(home, 'runs', run_id);
    const log = path.join(folder, '.audit/events.jsonl');
    await until(() => fs.existsSync(log) && fs.readFileSync(log, 'utf8').includes('repair_requested'));
    for (const pid of processesWith(`supervise\u0000${home}`)) signalIfThere(pid, 'SIGKILL');
    const { status } = await whenEnded(director, run_id);
    await until(() => (JSON.parse(fs.readFileSync(path.join(folder, '.run.json'), 'utf8')) as RunRecord).live === null);
    const events = eventsOf(home, run_id);
    // The kill may have come late, and ended the repair turn itself.
    const isLate = events.some(
      (event) =>
        isEvent(event, 'diagnostic.runtime.warning') &&
        event.data.code === 'SUPERVISOR_LOST' &&
        event.attempt_number === 2,
    );
    const repairs = events.filter(
      (event) => isEvent(event, 'interaction.reply.accepted') && event.data.source === 'repair',
    );
    expect([status, repairs.length]).toEqual(isLate ? ['failed', expect.any(Number)] : ['succeeded', 1]);
    expect((await verifyRun(runFolderAt(folder))).problems).toEqual([]);
  }
  expect(fs.readdirSync(path.join(home, 'private'))).toEqual([]);
});
