import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeFlock } from '../../../src/files/index.ts';
import { finished, processesWith, type Sandbox, sandbox, until } from '../../support/tacho.ts';

describe('a killed recorder leaves a record that can be read, verified and recovered', () => {
  test('the record is readable, names what is missing, and the next command completes it', async () => {
    const box = sandbox();
    const { mark, lines } = await killedRun(box);
    const eventsFile = path.join(box.audit(), 'events.jsonl');
    // A crash may interrupt a write anywhere: leave half a line behind.
    fs.appendFileSync(eventsFile, '{"protocol_version":"rasp/1.0","run_id":"2026');
    const complete = fs.readFileSync(eventsFile, 'utf8').split('\n').slice(0, -1);

    const verify = await box.here(['verify', 'last']);
    expect(verify.code).toBe(1);
    expect(verify.stdout).toContain('RECORD_INCOMPLETE');
    expect(verify.stdout).toContain('events.jsonl');
    expect(verify.stdout).toContain('seal.1.json');
    const show = await box.here(['show', 'last']);
    expect(show.code).toBe(0);
    expect(show.stdout).toContain('lost');
    expect(show.stdout).toContain('meta.1.json, fs-diff.1.json, seal.1.json');
    expect(fs.readFileSync(eventsFile, 'utf8').split('\n').slice(0, -1)).toEqual(complete);

    const next = await box.json<{ runs: { status: string; last: unknown }[] }>(['runs']);
    expect(next.runs[0]).toMatchObject({ status: 'failed', last: { reason_code: 'SUPERVISOR_LOST' } });
    const repaired = fs.readFileSync(eventsFile, 'utf8').split('\n').slice(0, -1);
    expect(repaired.slice(0, complete.length)).toEqual(complete);
    const codes = box.events().map(({ data }) => (data as { code?: string }).code);
    expect(codes).toContain('JOURNAL_REPAIRED');
    expect(codes).toContain('SUPERVISOR_LOST');
    const text = box
      .events()
      .filter(({ event }) => event.type === 'raw.stdout')
      .map(({ data }) => (data as { text: string }).text)
      .join('');
    expect(text).toBe(fs.readFileSync(path.join(box.audit(), 'stdout.1.log'), 'utf8'));
    expect(text.startsWith(lines)).toBe(true);
    const after = await box.here(['verify', 'last']);
    expect(after.stdout).toContain('intact');
    expect(after.code).toBe(0);
    expect(processesWith(mark)).toEqual([]);
  });

  test('the completion time is that of the last output, not that of the last event', async () => {
    const box = sandbox();
    const script = 'echo early; sleep 0.2; printf "late, and no line yet"; sleep 1000';
    const recorder = box.start(['run', '--', 'sh', '-c', script]);
    const end = finished(recorder);
    const output = () => fs.readFileSync(path.join(box.audit(), 'stdout.1.log'), 'utf8');
    await until(() => fs.existsSync(path.join(box.home, 'runs')) && box.runIds().length > 0);
    await until(() => fs.existsSync(path.join(box.audit(), 'stdout.1.log')) && output().includes('late'));
    recorder.kill('SIGKILL');
    await end;
    await box.here(['recover']);
    const events = box.events().filter(({ event }) => /^(?:raw\.|lifecycle\.completion)/.test(event.type));
    expect(events.map(({ event }) => event.type)).toEqual(['raw.stdout', 'raw.stdout', 'lifecycle.completion.state']);
    const times = events.map(({ ts }) => Date.parse(ts));
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  test('recovery waits for a process of the dead recorder to release its lock', async () => {
    const box = sandbox();
    await killedRun(box);
    const lock = takeFlock(path.join(box.audit(), 'lock.1'))!;
    const recovering = box.tacho(['recover']);
    setTimeout(() => lock.release(), 400);
    expect((await recovering).stdout).toContain('completed the record');
    expect((await box.here(['verify', 'last'])).code).toBe(0);
  });

  test('the run can continue: the next attempt first recovers the lost one', async () => {
    const box = sandbox();
    const { mark } = await killedRun(box);
    const answer = await box.json(['run', '--run-dir', 'last', '--', 'echo', 'again']);
    expect(answer).toMatchObject({ attempt: 2, exit_code: 0, run_id: box.runIds()[0] });
    expect((await box.here(['verify', 'last'])).code).toBe(0);
    const seqs = box.events().map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(processesWith(mark)).toEqual([]);
  });
});

/** A run of half a minute whose recorder is killed after it has recorded some lines. */
async function killedRun(box: Sandbox): Promise<{ mark: string; lines: string }> {
  const mark = `killed-${process.pid}-${Date.now()}`;
  const script = `: ${mark}; for i in $(seq 300); do echo "line $i"; sleep 0.1; done`;
  const child = box.start(['run', '--', 'bash', '-c', script]);
  const end = finished(child);
  const stdout = () => path.join(box.audit(), 'stdout.1.log');
  await until(() => fs.existsSync(path.join(box.home, 'runs')) && box.runIds().length > 0);
  await until(() => fs.existsSync(stdout()) && fs.readFileSync(stdout(), 'utf8').includes('line 5\n'));
  await until(() => box.events().some(({ event }) => event.type === 'raw.stdout'));
  child.kill('SIGKILL');
  await end;
  expect(processesWith(mark).length).toBeGreaterThan(0); // It ignores the hang-up; recovery must end it.
  return { mark, lines: fs.readFileSync(stdout(), 'utf8') };
}
