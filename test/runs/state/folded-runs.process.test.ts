import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/config/index.ts';
import { type RunRecord, type RunState, runStateSchema } from '../../../src/protocol/index.ts';
import { foldEvents } from '../../../src/record/apply-event.ts';
import { runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import { recordSessions } from '../../../src/runs/attempt/record-sessions.ts';
import { locateDataHome } from '../../../src/runs/index.ts';
import { runtimeInProcess } from '../../acceptance/runtime/runtime.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { sandbox, temporaryFolder, until } from '../../support/tacho.ts';
import { eventsOf, input, openService, whenEnded } from '../service/open-service.ts';

const recordOf = (home: string, runId: string) =>
  JSON.parse(fs.readFileSync(path.join(home, 'runs', runId, '.run.json'), 'utf8')) as RunRecord;

/** Polls, because events are written before the record. */
async function expectFolded(home: string, runId: string): Promise<RunState> {
  await expect
    .poll(() => {
      const { format: _format, live: _live, head_seq: _head, chain: _chain, ...record } = recordOf(home, runId);
      return isDeepStrictEqual(record, foldEvents(eventsOf(home, runId)));
    })
    .toBe(true);
  // A live run may continue: read its events last, so that they include all that the record knows.
  const { head_seq, chain } = recordOf(home, runId);
  const events = eventsOf(home, runId);
  const folded = foldEvents(events)!;
  expect(events[0]!.event.type).toBe('lifecycle.run.requested');
  expect(runStateSchema.safeParse(folded).error).toBeUndefined();
  expect(events[head_seq! - 1]!.chain).toBe(chain);
  return folded;
}

async function expectIntact(home: string, runId: string): Promise<void> {
  expect(await verifyRun(runFolderAt(path.join(home, 'runs', runId)))).toMatchObject({ verdict: 'intact' });
}

describe('the fold over events equals the run record', () => {
  test('of commands: one that fails, one canceled while running, one canceled in the queue', async () => {
    const { director, home } = await openService({ slots: 1 });
    const fails = await director.create(input({ command: ['sh', '-c', 'exit 3'], limits: { timeout_ms: 60_000 } }));
    await whenEnded(director, fails.run_id);
    expect(await expectFolded(home, fails.run_id)).toMatchObject({ status: 'failed', last: { exit_code: 3 } });

    // Otherwise both next runs wait for its slot, and the second one has a higher priority.
    await until(() => director.stats().running === 0);
    const works = await director.create(input({ command: ['sleep', '331'] }));
    const waits = await director.create(input({ command: ['echo', 'never'], priority: 7 }));
    expect(await expectFolded(home, waits.run_id)).toMatchObject({
      status: 'queued',
      queue: { priority: 7 },
      attempt: 0,
    });
    await until(() => recordOf(home, works.run_id).status === 'running');
    expect(await expectFolded(home, works.run_id)).toMatchObject({ status: 'running', attempt: 1 });
    await director.cancel(waits.run_id);
    expect(await expectFolded(home, waits.run_id)).toMatchObject({ status: 'canceled', attempt: 0, last: null });
    await expectIntact(home, waits.run_id);
    await director.cancel(works.run_id);
    await whenEnded(director, works.run_id);
    await expectFolded(home, works.run_id);
  });

  test('of an engine with a question: while it waits, after the reply, and after a cancel', async () => {
    const { director, home } = await openService({ env: { ...fakeEngine('codex', 'codex-asks.mjs') } });
    const asked = () => director.create(input({ engine: 'codex', prompt: 'paint the door', mode: 'interactive' }));
    const [answered, canceled] = await Promise.all([asked(), asked()]);
    for (const { run_id } of [answered, canceled]) {
      await whenEnded(director, run_id);
      expect(await expectFolded(home, run_id)).toMatchObject({
        status: 'waiting_user',
        question: { interaction_id: '1.1', prompt: 'Which colour?' },
        session_id: '0197aaaa-0000-7000-8000-000000000002',
      });
    }
    await director.cancel(canceled.run_id);
    expect(await expectFolded(home, canceled.run_id)).toMatchObject({ status: 'canceled', question: null });
    await expectIntact(home, canceled.run_id);
    await director.reply(answered.run_id, { interaction_id: '1.1', text: 'blue' });
    await until(() => recordOf(home, answered.run_id).status === 'succeeded');
    const folded = await expectFolded(home, answered.run_id);
    expect(folded).toMatchObject({ attempt: 2, request: { prompt: 'paint the door' } });
  });

  test('of an attempt that could not start, and of one whose recorder was killed', async () => {
    const { director, home } = await openService({ slots: 1 });
    const cwd = temporaryFolder();
    const first = await director.create(input({ command: ['sh', '-c', 'echo begun; exec sleep 332'] }));
    const homeless = await director.create(input({ command: ['true'], cwd }));
    await until(() => recordOf(home, first.run_id).live?.child);
    fs.rmSync(cwd, { recursive: true });
    process.kill(recordOf(home, first.run_id).live!.supervisor.pid, 'SIGKILL');
    expect(await whenEnded(director, first.run_id)).toMatchObject({ last: { reason_code: 'SUPERVISOR_LOST' } });
    await expectFolded(home, first.run_id);
    await whenEnded(director, homeless.run_id);
    expect(await expectFolded(home, homeless.run_id)).toMatchObject({ status: 'failed', attempt: 0, last: null });
    // Its last event comes before the closing seal.
    await until(() => recordOf(home, homeless.run_id).live === null);
    await expectIntact(home, homeless.run_id);
  });

  test('of runs without a server: a command, an import, a second command in the same run, a session', async () => {
    const { home, here: tacho } = sandbox();
    const log = path.join(home, 'some.log');
    fs.writeFileSync(log, '{"type":"thread.started","thread_id":"t-1"}\n{"type":"turn.started"}\n');
    await tacho(['run', '--', 'sh', '-c', 'kill -TERM $$']);
    const [runId] = fs.readdirSync(path.join(home, 'runs'));
    expect(await expectFolded(home, runId!)).toMatchObject({ last: { signal: 'SIGTERM', exit_code: null } });
    await tacho(['run', '--run-dir', runId!, '--', 'echo', 'again']);
    expect(await expectFolded(home, runId!)).toMatchObject({
      attempt: 2,
      command: ['echo', 'again'],
      status: 'succeeded',
    });
    await tacho(['import', 'codex', '--stdout', log, '--exit-code', '0']);

    const context = { home: locateDataHome({}, home), config: DEFAULTS, env: {}, version: '0' };
    const runtime = runtimeInProcess({ openRecording: recordSessions(context, () => {}) });
    const { session_id } = await runtime.call('session.create', { kind: 'shell', record: true });
    await runtime.call('exec.run', { session_id, command: 'echo in the session' });
    await runtime.call('session.destroy', { session_id });
    const ids = fs.readdirSync(path.join(home, 'runs'));
    expect(ids).toHaveLength(3);
    const all = await Promise.all(ids.map((id) => expectFolded(home, id)));
    expect(all.map(({ engine }) => engine).sort()).toEqual(['codex', 'terminal', 'text']);
  });
});
