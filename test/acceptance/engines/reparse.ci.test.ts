import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Meta, RaspEvent } from '../../../src/protocol/index.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { exitOf, listFixtures } from '../../support/fixtures.ts';
import { proofSize } from '../../support/proof-size.ts';
import { type Sandbox, sandbox } from '../../support/tacho.ts';

interface Reparsed {
  identical: boolean;
  attempts: {
    attempt: number;
    parser: { recorded: string; now: string };
    total: number;
    differences: { kind: string; type: string; fields?: object }[];
  }[];
}

describe('`tacho reparse` reads a record as its run did, and lists what an older parser read otherwise', () => {
  test('every fixture, printed again by a program in pieces of random size at random times, reads the same afterwards', {
    timeout: 240_000,
  }, async () => {
    const box = sandbox();
    // Our own agent is no program on PATH that another could stand in for.
    const all = listFixtures().filter(({ engine }) => engine !== 'demo');
    const fixtures = proofSize({ small: all.filter((_, index) => index % 8 === 0), full: all });
    for (const [index, { engine, folder, name }] of fixtures.entries()) {
      const env = { ...fakeEngine(engine, 'print-log.mjs'), PRINT_LOG: folder, PRINT_LOG_SEED: String(index + 1) };
      const words = [
        'run',
        engine,
        '--level',
        'full',
        '--env',
        'PRINT_LOG',
        '--env',
        'PRINT_LOG_SEED',
        '--',
        'print it',
      ];
      const { run_id } = await box.jsonHere(words, { env });
      const answer = await box.jsonHere<Reparsed>(['reparse', run_id]);
      expect(answer, `${engine}/${name}`).toMatchObject({ identical: true });
      expect(readMeta(box, run_id).parse?.coverage, `${engine}/${name}`).toBe(1);
    }
  });

  test('a plain command, several attempts and an imported run read the same', async () => {
    const box = sandbox();
    const { run_id } = await box.jsonHere(['run', '--', 'sh', '-c', 'echo one; sleep 0.1; echo two >&2; printf three']);
    await box.jsonHere(['run', '--run-dir', run_id, '--', 'seq', '5000']);
    await box.jsonHere([
      'run',
      '--run-dir',
      run_id,
      '--level',
      'minimal',
      '--',
      'sh',
      '-c',
      'echo a; sleep 0.2; echo b',
    ]);
    expect((await box.jsonHere<Reparsed>(['reparse', run_id])).attempts.map(({ total }) => total)).toEqual([0, 0, 0]);
    const { engine, folder } = listFixtures().find(({ name }) => name === 'r429')!;
    const logs = ['--stdout', `${folder}/stdout.log`, '--stderr', `${folder}/stderr.log`, '--pty', `${folder}/pty.log`];
    const imported = await box.jsonHere(['import', engine, ...logs, '--exit-code', String(exitOf(folder, 'split'))]);
    expect(await box.jsonHere<Reparsed>(['reparse', imported.run_id])).toMatchObject({ identical: true });
  });

  test('differences to a run of an older parser are listed, each with its place and what changed', async () => {
    const box = sandbox();
    const { folder } = listFixtures().find(({ engine, name }) => engine === 'codex' && name === 'tool')!;
    const { run_id } = await box.jsonHere(['import', 'codex', '--stdout', `${folder}/stdout.log`, '--exit-code', '0']);
    makeOlder(box, run_id);
    const { finished, ...answer } = await box.jsonHere<Reparsed>(['reparse', run_id]);
    expect(finished.code).toBe(1);
    const [attempt] = answer.attempts;
    expect(attempt).toMatchObject({ parser: { recorded: 'codex_ndjson/0', now: 'codex_ndjson/2' }, total: 3 });
    expect(attempt!.differences).toMatchObject([
      { kind: 'only now', type: 'agent.reasoning.summary' },
      {
        kind: 'changed',
        type: 'agent.message.final',
        fields: { data: { recorded: { text: 'I WILL RUN ONE TOOL NOW.' } } },
      },
      { kind: 'only recorded', type: 'raw.stdout' },
    ]);
    const shown = await box.tacho(['reparse', run_id]);
    expect(shown.stdout).toContain('recorded by codex_ndjson/0');
    expect(shown.stdout).toContain('3 differences');
  });
});

/** As a parser that knew no reasoning, shouted, and saw something else in the last line would have recorded it. */
function makeOlder(box: Sandbox, runId: string): void {
  const events = box.events(runId).filter(({ event }) => event.type !== 'agent.reasoning.summary');
  const message = events.find(({ event }) => event.type === 'agent.message.final') as RaspEvent<'agent.message.final'>;
  message.data.text = message.data.text.toUpperCase();
  const last = events.findLast(({ source }) => source.stream !== null)!;
  const extra = { ...last, event: { category: 'raw', type: 'raw.stdout' }, data: { text: 'x', lines: 1 } } as RaspEvent;
  events.splice(events.indexOf(last) + 1, 0, extra);
  const lines = events.map((event, index) => JSON.stringify({ ...event, seq: index + 1 }));
  fs.writeFileSync(path.join(box.audit(runId), 'events.jsonl'), `${lines.join('\n')}\n`);
  const meta = readMeta(box, runId);
  meta.versions.parser = 'codex_ndjson/0';
  fs.writeFileSync(path.join(box.audit(runId), 'meta.1.json'), JSON.stringify(meta));
}

function readMeta(box: Sandbox, runId: string): Meta {
  return JSON.parse(fs.readFileSync(path.join(box.audit(runId), 'meta.1.json'), 'utf8')) as Meta;
}
