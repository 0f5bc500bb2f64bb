import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadSealKey } from '../../../src/recording/index.ts';
import { recordings } from '../../support/recordings.ts';
import { removeFolder, temporaryFolder } from '../../support/tacho.ts';
import { editJson, forgeEvents, type Place, sealAgain } from './forge.ts';

const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-workspace-'));
afterAll(() => removeFolder(workspace));

const ASKED = ['run', 'demo', '--cwd', workspace, '--mode', 'interactive', '--engine-arg=--pace=0', '--', 'ask me'];
const recorded = recordings();

/** A waiting run as received from elsewhere: only its folder, outside of the data folder. */
async function foreignRun() {
  const { box, run_id } = await recorded(ASKED);
  const root = temporaryFolder();
  const run = path.join(root, 'runs', run_id);
  fs.cpSync(path.join(box.home, 'runs', run_id), run, { recursive: true });
  const place: Place = {
    home: box.home,
    runId: run_id,
    run,
    audit: path.join(run, '.audit'),
    other: '',
    earlier: '',
    tacho: box.here,
  };
  const record = path.join(run, '.run.json');
  const resume = () => box.here(['resume', run, 'blue']);
  const started = () => JSON.parse(fs.readFileSync(path.join(run, '.audit/meta.2.json'), 'utf8'));
  return { box, root, place, record, run_id, run, resume, started };
}

describe('the start parameters of a run', () => {
  test('are taken from its sealed events when it is resumed', async () => {
    const { record, resume, started, root } = await foreignRun();
    editJson(record, (value) => {
      value.cwd = root;
      value.command = ['sh', '-c', 'echo forged'];
      value.request.engine_args = ['--forged'];
      value.request.base_url = 'http://192.0.2.1/';
    });
    const { code, stderr } = await resume();
    expect(code, stderr).toBe(0);
    expect(started().cwd).toBe(workspace);
    expect(JSON.stringify(started())).not.toMatch(/forged|192\.0\.2\.1/);
  });

  test('are not taken from a request stored next to a folder outside of the data folder', async () => {
    const { root, run_id, resume, started, box } = await foreignRun();
    const stored = path.join(box.home, 'private', `${run_id}.request.json`);
    fs.mkdirSync(path.join(root, 'private'));
    fs.copyFileSync(stored, path.join(root, 'private', `${run_id}.request.json`));
    editJson(path.join(root, 'private', `${run_id}.request.json`), (value) => {
      value.request.engine_args = ['--forged'];
    });
    const { code, stderr } = await resume();
    expect(code, stderr).toBe(0);
    expect(JSON.stringify(started())).not.toContain('forged');
  });

  test('are refused when events follow that no seal covers', async () => {
    const { place, resume } = await foreignRun();
    forgeEvents(place, (events) => {
      const requested = events.find(({ event }) => event.type === 'lifecycle.run.requested')!;
      return [...events, { ...requested, data: { ...requested.data, cwd: '/' } } as typeof requested];
    });
    expect(await resume()).toMatchObject({ code: 1, stderr: expect.stringContaining('VERIFY_FAILED') });
  });

  test('are refused when another installation sealed the run', async () => {
    const { place, resume } = await foreignRun();
    sealAgain(place, 1, loadSealKey(temporaryFolder()));
    expect((await resume()).stderr).toContain('NOT_BEGUN_HERE');
  });

  test('are shown from its events', async () => {
    const { box, record, run } = await foreignRun();
    const before = (await box.here(['show', run])).stdout;
    editJson(record, (value) => {
      value.command = ['sh', '-c', 'echo forged'];
      value.status = 'succeeded';
      value.cwd = '/forged';
    });
    expect((await box.here(['show', run])).stdout).toBe(before);
  });
});
