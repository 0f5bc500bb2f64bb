import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordings } from '../../support/recordings.ts';
import { DEAD, rewriteLedger } from '../trust/forge.ts';

const recorded = recordings();

/** A sealed run, and a copy of the ledger head. */
async function keptHead() {
  const { box, run_id } = await recorded(['run', '--', 'sh', '-c', 'echo one; echo two >&2']);
  const head = (await box.here(['ledger', 'head'])).stdout.trim();
  const since = (...more: string[]) => box.here(['verify', '--since', head, ...more]);
  return { box, run_id, head, since, audit: box.audit(run_id) };
}

describe('the ledger of seals', () => {
  test('reports no change when nothing was changed', async () => {
    const { box, since } = await keptHead();
    expect(await since('--deep')).toMatchObject({ code: 0, stdout: expect.stringContaining('✔ intact') });
    await box.here(['run', '--', 'true']);
    expect((await since()).stdout).toContain('1 newer than the head');
  });

  test('detects one changed byte when all runs are checked', async () => {
    const { audit, since } = await keptHead();
    fs.writeFileSync(path.join(audit, 'stdout.1.log'), 'One\n');
    expect((await since()).code).toBe(0);
    expect(await since('--deep')).toMatchObject({ code: 1, stdout: expect.stringContaining('stdout.1.log') });
  });

  test('names a pruned run without reporting a problem', async () => {
    const { box, run_id, since } = await keptHead();
    expect((await box.here(['prune', '--older-than', '1ms'])).code).toBe(0);
    expect(await since()).toMatchObject({ code: 0, stdout: expect.stringContaining(`${run_id}: removed`) });
  });

  test('prevents recovery from signing an attempt that was sealed before', async () => {
    const { box, run_id, audit } = await keptHead();
    const record = path.join(path.dirname(audit), '.run.json');
    for (const name of ['seal', 'meta', 'fs-diff']) fs.rmSync(path.join(audit, `${name}.1.json`));
    const lost = { ...JSON.parse(fs.readFileSync(record, 'utf8')), live: { attempt: 1, ...DEAD } };
    fs.writeFileSync(record, JSON.stringify(lost));
    fs.symlinkSync(`../runs/${run_id}`, path.join(box.home, 'live', run_id));
    const { code, stdout, stderr } = await box.tacho(['recover', run_id]);
    expect(code, stdout).toBe(1);
    expect(stderr).toContain('ALREADY_SEALED');
    expect(fs.existsSync(path.join(audit, 'seal.1.json'))).toBe(false);
  });

  test('lets recovery finish a run that was interrupted after its seal was entered', async () => {
    const { box, run_id, audit, since } = await keptHead();
    const record = path.join(path.dirname(audit), '.run.json');
    const sealed = JSON.parse(fs.readFileSync(record, 'utf8'));
    fs.writeFileSync(record, JSON.stringify({ ...sealed, live: { attempt: 1, ...DEAD } }));
    fs.symlinkSync(`../runs/${run_id}`, path.join(box.home, 'live', run_id));
    expect((await box.here(['verify', run_id])).stdout).toContain('◐ incomplete');
    expect(await box.tacho(['recover', run_id])).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(fs.readFileSync(record, 'utf8'))).toEqual(sealed);
    expect(fs.readdirSync(path.join(box.home, 'live'))).toEqual([]);
    expect((await box.here(['verify', run_id])).code).toBe(0);
    expect((await since('--deep')).code).toBe(0);
  });

  test('prevents recovery from signing an attempt that was not started here', async () => {
    const { box, run_id, audit } = await keptHead();
    fs.rmSync(path.join(box.home, 'ledger'), { recursive: true });
    for (const name of ['seal', 'meta', 'fs-diff']) fs.rmSync(path.join(audit, `${name}.1.json`));
    const record = path.join(path.dirname(audit), '.run.json');
    fs.writeFileSync(
      record,
      JSON.stringify({ ...JSON.parse(fs.readFileSync(record, 'utf8')), live: { attempt: 1, ...DEAD } }),
    );
    expect(await box.tacho(['recover', run_id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('NOT_BEGUN_HERE'),
    });
  });

  test('notes seals older than the ledger, and reports newer ones that it does not list', async () => {
    const { box, run_id } = await keptHead();
    const ledger = path.join(box.home, 'ledger');
    fs.rmSync(ledger, { recursive: true });
    await box.here(['run', '--', 'true']);
    expect(await box.here(['verify', run_id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('attempt 1: sealed before the ledger began'),
    });
    const newer = box.runIds().at(-1)!;
    rewriteLedger(box, ([entry]) => [{ ...entry!, run_id, at: '2020-01-01T00:00:00.000Z' }]);
    expect(await box.here(['verify', newer])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('seal.1.json: not in the ledger'),
    });
  });

  test('rejects an invalid head', async () => {
    const { box } = await keptHead();
    expect(await box.tacho(['verify', '--since', 'yesterday'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('tacho ledger head'),
    });
  });
});
