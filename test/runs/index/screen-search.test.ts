import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attemptFileNames, type RunRecord } from '../../../src/protocol/index.ts';
import { openRunIndex, type RunIndex } from '../../../src/runs/index/run-index.ts';
import { openTerminal } from '../../../src/runtime/open-terminal.ts';
import { RecordedRuns } from '../../storage/recorded-runs.ts';
import { type ScreenCase, screenFixture } from '../../support/recorded-screen.ts';
import { temporaryFolder } from '../../support/tacho.ts';

async function indexed(): Promise<{ runs: RecordedRuns; open(): Promise<RunIndex> }> {
  const home = temporaryFolder();
  const runs = new RecordedRuns(home);
  const open = async () => {
    const index = await openRunIndex({ file: path.join(home, 'index.db'), runsRoot: runs.root, openTerminal });
    onTestFinished(() => index.close());
    return index;
  };
  return { runs, open };
}

function addRecorded(runs: RecordedRuns, name: ScreenCase, given: Partial<RunRecord> = {}): RunRecord {
  const record = runs.add({ engine: 'text', ...given });
  fs.cpSync(screenFixture(name).folder.audit, runs.folder(record.run_id).audit, { recursive: true });
  return record;
}

const idsOf = (index: RunIndex, q: string) => index.list({ q, limit: 10 }).records.map(({ run_id }) => run_id);

describe('the search for runs', () => {
  test('finds what full-screen programs showed, in all of their sessions', async () => {
    const { runs, open } = await indexed();
    const [vim, codex, claude] = (['vim', 'codex', 'claude'] as const).map((name) => addRecorded(runs, name).run_id);
    const index = await open();
    // Its words are separated by cursor movements, and no byte of it is a blank.
    expect(idsOf(index, '"Quick safety check: Is this a project you created"')).toEqual([claude]);
    expect(idsOf(index, '"Do you want to proceed"')).toEqual([claude]);
    expect(idsOf(index, '"a line that was typed"')).toEqual([vim]);
    expect(idsOf(index, '"Ask Codex to do anything"')).toEqual([codex]);
    expect(idsOf(index, '"written by the demo model"')).toEqual([claude, codex]);
    expect(idsOf(index, 'unheard')).toEqual([]);
  });

  test('finds a session once it has ended, and no longer when it was removed', async () => {
    const { runs, open } = await indexed();
    const index = await open();
    const record = addRecorded(runs, 'vim', { status: 'running' });
    index.put(record);
    await index.settled();
    expect(idsOf(index, '"line 20 of the notes"')).toEqual([]);
    index.put(runs.write({ ...record, status: 'succeeded' }));
    await index.settled();
    expect(idsOf(index, '"line 20 of the notes"')).toEqual([record.run_id]);
    index.remove(record.run_id);
    expect(idsOf(index, '"line 20 of the notes"')).toEqual([]);
  });

  test('reads screens of a run that a search met first', async () => {
    const { runs, open } = await indexed();
    const index = await open();
    const record = addRecorded(runs, 'vim');
    index.put(record);
    expect(idsOf(index, 'notes')).toEqual([]); // A search does not wait for them.
    await index.settled();
    expect(idsOf(index, 'notes')).toEqual([record.run_id]);
  });

  test('keeps the screens when the index is made again', async () => {
    const { runs, open } = await indexed();
    const record = addRecorded(runs, 'vim');
    const index = await open();
    await index.rebuild();
    expect(idsOf(index, 'typed')).toEqual([record.run_id]);
  });

  test('does not find secrets that were masked', async () => {
    const { runs, open } = await indexed();
    const record = addRecorded(runs, 'vim');
    const { audit } = runs.folder(record.run_id);
    const { stdout, redactions } = attemptFileNames(1);
    const at = fs.readFileSync(path.join(audit, stdout)).indexOf('line 20 of');
    const ranges = [{ stream: 'stdout', byte_from: at, byte_to: at + 'line 20'.length, name: 'KEY' }];
    fs.writeFileSync(path.join(audit, redactions), JSON.stringify({ format: 'tacho-redactions/1', ranges }));
    const index = await open();
    expect(idsOf(index, '"line 19 of"')).toEqual([record.run_id]);
    expect(idsOf(index, '"line 20 of"')).toEqual([]);
  });

  test('does not read the output of programs that only print lines', async () => {
    const { runs, open } = await indexed();
    const record = addRecorded(runs, 'vim');
    const { audit } = runs.folder(record.run_id);
    const file = path.join(audit, attemptFileNames(1).pty);
    const text = fs.readFileSync(file, 'latin1').replaceAll(/\u001b/g, ' ');
    fs.writeFileSync(file, text, 'latin1');
    expect(idsOf(await open(), 'notes')).toEqual([]);
  });
});
