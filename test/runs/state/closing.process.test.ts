import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { type Sandbox, sandbox } from '../../support/tacho.ts';

/** A run that waits for an answer, without a server. */
async function askedRun(): Promise<Sandbox & { runId: string; record(): RunRecord; write(record: RunRecord): void }> {
  const box = sandbox();
  await box.tacho(['run', 'codex', '--mode', 'interactive', '--', 'paint the door'], {
    env: fakeEngine('codex', 'codex-asks.mjs'),
  });
  const [runId] = box.runIds();
  const file = path.join(box.home, 'runs', runId!, '.run.json');
  const record = () => JSON.parse(fs.readFileSync(file, 'utf8')) as RunRecord;
  expect(record()).toMatchObject({ status: 'waiting_user', live: null });
  return { ...box, runId: runId!, record, write: (content) => fs.writeFileSync(file, JSON.stringify(content)) };
}

/** Kills `tacho cancel` after the run's last event and before its closing seal: it waits for the key to be read. */
async function killBeforeSeal({
  home,
  start,
  record,
  runId,
}: Awaited<ReturnType<typeof askedRun>>): Promise<RunRecord> {
  const key = path.join(home, 'keys/seal.ed25519.pem');
  fs.renameSync(key, `${key}.aside`);
  expect(spawnSync('mkfifo', [key]).status).toBe(0);
  const canceling = start(['cancel', runId]);
  const gone = once(canceling, 'exit');
  await expect.poll(() => record().status, { timeout: 60_000 }).toBe('canceled');
  const seen = record();
  canceling.kill('SIGKILL');
  await gone;
  fs.renameSync(`${key}.aside`, key);
  return seen;
}

describe('a run that ends without another attempt', () => {
  test('is sealed by recovery when its process is killed before the closing seal', async () => {
    const run = await askedRun();
    const seen = await killBeforeSeal(run);
    expect(seen.live).not.toBeNull();
    expect(fs.existsSync(path.join(run.audit(), 'seal.2.json'))).toBe(false);
    expect((await run.tacho(['verify', run.runId])).code).toBe(1);
    const { stdout } = await run.tacho(['recover']);
    expect(stdout).toBe(`completed the record of ${run.runId}, whose recorder had died\n`);
    expect(run.record()).toMatchObject({ status: 'canceled', attempt: 1, live: null });
    expect((await run.tacho(['verify', run.runId])).stdout).toContain('intact');
    expect(fs.readFileSync(path.join(run.audit(), 'conversation.jsonl'), 'utf8')).toContain('conversation.canceled');
    expect((await run.tacho(['recover'])).stdout).toBe('Nothing to complete.\n');
    expect(fs.readdirSync(path.join(run.home, 'live'))).toEqual([]);
  });

  test('is canceled by recovery when its process was killed before the last event', async () => {
    const run = await askedRun();
    const before = run.record();
    const { live } = await killBeforeSeal(run);
    // The journal and the record before the event.
    const events = path.join(run.audit(), 'events.jsonl');
    const lines = fs.readFileSync(events, 'utf8').split('\n');
    fs.writeFileSync(
      events,
      lines
        .slice(0, before.head_seq)
        .map((line) => `${line}\n`)
        .join(''),
    );
    run.write({ ...before, live });
    expect((await run.tacho(['recover'])).stdout).toBe(`canceled ${run.runId}, as requested before\n`);
    expect(run.record()).toMatchObject({ status: 'canceled', live: null });
    expect((await run.tacho(['verify', run.runId])).stdout).toContain('intact');
  });
});
