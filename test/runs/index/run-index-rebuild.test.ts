import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RUN_RECORD_FILE, type RunRecord, type RunStatus, runStatusSchema } from '../../../src/protocol/index.ts';
import { openRunIndex } from '../../../src/runs/index/run-index.ts';
import { openDatabase } from '../../../src/storage/index.ts';
import { RecordedRuns } from '../../storage/recorded-runs.ts';
import { proofSize } from '../../support/proof-size.ts';
import { temporaryFolder } from '../../support/tacho.ts';

function home(): { runs: RecordedRuns; file: string; runsRoot: string } {
  const folder = temporaryFolder();
  const runs = new RecordedRuns(folder);
  return { runs, file: path.join(folder, 'index.db'), runsRoot: runs.root };
}

/** The whole content of the index, each word with its position. */
async function contentOf(file: string): Promise<object> {
  const database = await openDatabase(file);
  database.exec('CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, instance)');
  const content = {
    runs: database.all('SELECT * FROM runs ORDER BY key'),
    records: database.all('SELECT * FROM records ORDER BY key'),
    counts: database.all('SELECT * FROM counts WHERE runs > 0 ORDER BY status, engine'),
    words: database.all(
      'SELECT term, doc >> 10 AS key, doc & 1023 AS page, offset FROM temp.terms ORDER BY 1, 2, 3, 4',
    ),
  };
  database.close();
  return content;
}

/** What may happen to runs, seen by the server or not. */
type Act =
  | { act: 'add'; status: RunStatus; engine: string }
  | { act: 'say'; run: number; text: string }
  | { act: 'print'; run: number; length: number }
  | { act: 'change'; run: number; status: RunStatus; prompt: string }
  | { act: 'tell' | 'remove' | 'lose lines'; run: number }
  | { act: 'search' | 'settle' | 'refresh' | 'restart' };

const run = fc.nat({ max: 20 });
const status = fc.constantFrom(...runStatusSchema.options);
const word = fc.constantFrom('alpha', 'beta', 'gamma', '你好', '世界', '🦀', 'x'.repeat(9000), 'ok '.repeat(6000));
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    act: fc.constant('add' as const),
    status,
    engine: fc.constantFrom('codex', 'claude', 'text'),
  }),
  fc.record({
    act: fc.constant('say' as const),
    run,
    text: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
  }),
  fc.record({ act: fc.constant('print' as const), run, length: fc.nat({ max: 600_000 }) }),
  fc.record({ act: fc.constant('change' as const), run, status, prompt: word.map((text) => text.slice(0, 200)) }),
  fc.record({ act: fc.constantFrom('tell' as const, 'remove' as const, 'lose lines' as const), run }),
  fc.record({ act: fc.constantFrom('search' as const, 'settle' as const, 'refresh' as const, 'restart' as const) }),
);

describe('an index rebuilt from the run folders', () => {
  test('equals the one that was updated run by run', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 60 }), async (acts) => {
        const { runs, file, runsRoot } = home();
        let index = await openRunIndex({ file, runsRoot });
        const known: RunRecord[] = [];
        for (const step of acts) {
          const chosen = 'run' in step ? known[step.run % Math.max(1, known.length)] : undefined;
          if ('run' in step && !chosen) continue;
          switch (step.act) {
            case 'add': {
              const record = runs.add(recordOf(step));
              known.push(record);
              index.put(record);
              break;
            }
            case 'say':
              runs.say(chosen!.run_id, step.text);
              break;
            case 'print':
              runs.append(chosen!.run_id, 'raw.stdout', { text: 'p'.repeat(step.length), lines: 1 });
              break;
            case 'change': {
              const launch = { model: null, base_url: null, engine_args: [], require_marker: false, format: null };
              const change = { status: step.status, launch: { ...launch, prompt: step.prompt } };
              Object.assign(chosen!, runs.write({ ...chosen!, ...change }));
              // The index is not notified of half of the changes.
              if (step.run % 2 === 0) index.put(chosen!);
              break;
            }
            case 'lose lines':
              loseLines(runs.conversation(chosen!.run_id));
              break;
            case 'tell':
              index.put(chosen!);
              break;
            case 'remove':
              runs.remove(chosen!.run_id);
              known.splice(known.indexOf(chosen!), 1);
              if (step.run % 2 === 0) index.remove(chosen!.run_id);
              break;
            case 'search':
              index.list({ q: 'alpha', limit: 1 });
              break;
            case 'settle':
              await index.settled();
              break;
            case 'refresh':
              await index.refresh();
              break;
            case 'restart':
              await index.close();
              index = await openRunIndex({ file, runsRoot });
          }
        }
        // Write the records last: later changes to the folder of an ended run would not be noticed.
        for (const record of known) runs.write(record);
        await index.refresh();
        await index.close();
        const kept = await contentOf(file);

        const again = path.join(path.dirname(file), 'again.db');
        await (await openRunIndex({ file: again, runsRoot })).close();
        expect(kept).toEqual(await contentOf(again));

        const rebuilt = await openRunIndex({ file, runsRoot });
        await rebuilt.rebuild();
        await rebuilt.close();
        expect(await contentOf(file)).toEqual(kept);
      }),
      { numRuns: proofSize({ small: 15, full: 60 }) },
    );
  });
});

function recordOf({ status, engine }: { status: RunStatus; engine: string }): Partial<RunRecord> {
  return { status, engine, command: [engine, 'alpha'] };
}

/** As after a power cut: the last lines are lost and replaced by others. */
function loseLines(file: string): void {
  if (!fs.existsSync(file)) return;
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  fs.writeFileSync(
    file,
    lines
      .slice(0, Math.ceil(lines.length / 2) - 1)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

const PROCESS = { pid: 1, start_time: '1', boot_id: 'b', host: 'h' };
const LIVE: RunRecord['live'] = {
  supervisor: PROCESS,
  child: null,
  marker: 'm',
  started_at: null,
  capture: { mode: 'split', reason: 'configuration', level: 'full' },
  env_names: [],
  secret_names: [],
};

describe('refreshing the index from the run folders', () => {
  test('reads only new, changed and active runs', async () => {
    const { runs, file, runsRoot } = home();
    const ended = Array.from({ length: 5 }, () => runs.add());
    const running = runs.add({ status: 'running', live: LIVE });
    const index = await openRunIndex({ file, runsRoot });
    expect(await index.refresh()).toMatchObject({ runs: 6, read: 1, unreadable: [] });
    runs.write({ ...running, status: 'failed', live: null });
    runs.write({ ...ended[2]!, cwd: '/elsewhere' });
    runs.add();
    runs.remove(ended[0]!.run_id);
    expect(await index.refresh()).toMatchObject({ runs: 6, read: 3 });
    expect(await index.refresh()).toMatchObject({ runs: 6, read: 0 });
    const cwdOf = (runId: string) => index.list({ limit: 9 }).records.find((record) => record.run_id === runId)?.cwd;
    expect(cwdOf(ended[2]!.run_id)).toBe('/elsewhere');
    expect(cwdOf(ended[0]!.run_id)).toBeUndefined();
    expect(await index.rebuild()).toMatchObject({ runs: 6, read: 6 });
    await index.close();
  });

  test('does not read runs that ended while it was open', async () => {
    const { runs, file, runsRoot } = home();
    const index = await openRunIndex({ file, runsRoot });
    index.put(runs.add({}, ['word']));
    await index.settled();
    await index.close();
    const again = await openRunIndex({ file, runsRoot });
    expect(await again.refresh()).toMatchObject({ runs: 1, read: 0 });
    expect(again.list({ q: 'word', limit: 1 }).total).toBe(1);
    await again.close();
  });

  test('reports unreadable runs, and continues with the others', async () => {
    const { runs, file, runsRoot } = home();
    const [damaged, newer, copied, whole] = [runs.add(), runs.add(), runs.add(), runs.add()];
    const problems: Error[] = [];
    const index = await openRunIndex({ file, runsRoot, onProblem: (error) => problems.push(error) });
    expect(index.list({ limit: 9 }).total).toBe(4);
    const recordFile = ({ run_id }: RunRecord) => path.join(runs.folder(run_id).path, RUN_RECORD_FILE);
    fs.writeFileSync(recordFile(damaged!), '{"format":');
    fs.writeFileSync(recordFile(newer!), JSON.stringify({ ...newer, format: 'tacho-run/2' }));
    fs.writeFileSync(recordFile(copied!), JSON.stringify(whole));
    fs.mkdirSync(path.join(runsRoot, '20261115T080000-codex-0000beef'));
    fs.writeFileSync(path.join(runsRoot, '20261115T080000-codex-0000cafe'), 'no folder');
    const { unreadable } = await index.refresh();
    expect(unreadable.map(({ runId }) => runId)).toEqual([damaged!.run_id, copied!.run_id]);
    expect(problems).toMatchObject([{ code: 'RUN_RECORD_CORRUPT' }, { code: 'RUN_RECORD_CORRUPT' }]);
    // A run of a newer format is listed as far as possible.
    const listed = index.list({ limit: 9 }).records.map(({ run_id }) => run_id);
    expect(listed.sort()).toEqual([newer!.run_id, whole!.run_id].sort());
    await index.close();
  });

  test('can be closed during a rebuild, which continues when it is reopened', async () => {
    const { runs, file, runsRoot } = home();
    const count = proofSize({ small: 20, full: 400 });
    for (let number = 0; number < count; number++) runs.add({}, ['word '.repeat(2000)]);
    const index = await openRunIndex({ file, runsRoot, turnMs: 0 });
    let closed: Promise<void> | null = null;
    const rebuilt = index.rebuild(() => {
      closed ??= index.close();
    });
    await expect(rebuilt).rejects.toThrow('closed');
    await closed;
    const again = await openRunIndex({ file, runsRoot });
    expect(again.list({ q: 'word', limit: 1 }).total).toBe(count);
    await again.close();
  });

  test('yields to the event loop', async () => {
    const { runs, file, runsRoot } = home();
    const count = proofSize({ small: 20, full: 300 });
    for (let number = 0; number < count; number++) runs.add({}, ['word '.repeat(4000)]);
    let turns = 0;
    let isOpen = false;
    const watch = (): void => {
      turns++;
      if (!isOpen) setImmediate(watch);
    };
    setImmediate(watch);
    const progress: number[] = [];
    const index = await openRunIndex({ file, runsRoot, turnMs: 0, onProgress: (done) => progress.push(done) });
    isOpen = true;
    // A run is read in one piece or more, and after each the event loop turns.
    expect(progress.length).toBeGreaterThan(count);
    expect(progress.at(-1)).toBe(count);
    expect(progress).toEqual([...progress].sort((one, other) => one - other));
    expect(turns).toBeGreaterThanOrEqual(count);
    await index.close();
  });
});
