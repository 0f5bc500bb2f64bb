import { createHash, sign } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeSha256 } from '../../../src/journal/index.ts';
import { Ledger } from '../../../src/ledger/index.ts';
import type { LedgerEntry, Seal } from '../../../src/protocol/index.ts';
import { leafHash } from '../../../src/record/index.ts';
import { loadSealKey } from '../../../src/recording/index.ts';
import { recordings } from '../../support/recordings.ts';
import type { Sandbox } from '../../support/tacho.ts';

const recorded = recordings();

/** A sealed run, and the head of the ledger that was kept elsewhere. */
async function keptHead() {
  const { box, run_id } = await recorded(['run', '--', 'sh', '-c', 'echo one; echo two >&2']);
  const head = (await box.here(['ledger', 'head'])).stdout.trim();
  const since = (...more: string[]) => box.here(['verify', '--since', head, ...more]);
  return { box, run_id, head, since, audit: box.audit(run_id) };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** What whoever holds the key can do: the seal fits the files as they are now. */
function sealAgain(box: Sandbox, audit: string): void {
  const file = path.join(audit, 'seal.1.json');
  const { signature: _, ...seal } = JSON.parse(fs.readFileSync(file, 'utf8')) as Seal;
  for (const sealed of seal.files) {
    const bytes = fs.readFileSync(path.join(audit, sealed.path));
    Object.assign(sealed, { bytes: bytes.length, sha256: sha256(bytes) });
  }
  const { privateKey } = loadSealKey(path.join(box.home, 'keys'));
  const signature = sign(null, Buffer.from(JSON.stringify(seal)), privateKey).toString('base64');
  fs.writeFileSync(file, `${JSON.stringify({ ...seal, signature }, null, 2)}\n`);
}

/** Every entry follows from the one before, as if the ledger had always been so. */
function rewriteLedger(box: Sandbox, change: (entries: LedgerEntry[]) => LedgerEntry[]): void {
  const file = path.join(box.home, 'ledger/entries.jsonl');
  const entries = fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LedgerEntry);
  let previous = nodeSha256.of('');
  const lines = change(entries).map((entry, n) => {
    const line = JSON.stringify({ ...entry, n, previous });
    previous = leafHash(Buffer.from(line), nodeSha256);
    return `${line}\n`;
  });
  fs.writeFileSync(file, lines.join(''));
  fs.rmSync(path.join(box.home, 'ledger/hashes'));
}

type Place = Awaited<ReturnType<typeof keptHead>>;

const FORGERIES: readonly (readonly [string, (place: Place) => void | Promise<void>, RegExp])[] = [
  [
    'output changed and sealed again',
    ({ box, audit }) => {
      fs.writeFileSync(path.join(audit, 'stdout.1.log'), 'ONE\n');
      sealAgain(box, audit);
    },
    /is not the seal that was made/,
  ],
  [
    'the same files sealed at another time',
    ({ box, audit }) => {
      const file = path.join(audit, 'seal.1.json');
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/"sealed_at": "2/, '"sealed_at": "1'));
      sealAgain(box, audit);
    },
    /is not the seal that was made/,
  ],
  ['the seal taken away', ({ audit }) => fs.rmSync(path.join(audit, 'seal.1.json')), /is gone/],
  ['the run taken away', ({ audit }) => fs.rmSync(path.dirname(audit), { recursive: true }), /is gone/],
  [
    'another run in its place',
    async ({ box, audit, run_id }) => {
      await box.here(['run', '--', 'true']);
      const other = box.runIds().find((id) => id !== run_id)!;
      fs.rmSync(path.dirname(audit), { recursive: true });
      fs.renameSync(path.join(box.home, 'runs', other), path.dirname(audit));
    },
    /is not the seal that was made/,
  ],
  [
    'the ledger written again to fit a new seal',
    ({ box, audit }) => {
      fs.writeFileSync(path.join(audit, 'stdout.1.log'), 'ONE\n');
      sealAgain(box, audit);
      const seal = sha256(fs.readFileSync(path.join(audit, 'seal.1.json')));
      rewriteLedger(box, ([entry, ...rest]) => [{ ...entry!, seal }, ...rest]);
    },
    /the first 1 entries of the ledger are not those it had/,
  ],
  [
    'the run taken out of the ledger as well',
    ({ box, audit }) => {
      fs.rmSync(path.dirname(audit), { recursive: true });
      rewriteLedger(box, () => []);
    },
    /has 0 entries, and had 1/,
  ],
  [
    'a second seal entered for the same attempt',
    async ({ box, run_id }) => {
      const seal = nodeSha256.of('other');
      await new Ledger(path.join(box.home, 'ledger')).append({ what: 'sealed', run_id, attempt: 1, seal });
    },
    /was sealed more than once/,
  ],
];

describe('the ledger of seals', () => {
  test('says that nothing was changed while nothing was', async () => {
    const { box, since } = await keptHead();
    expect(await since('--deep')).toMatchObject({ code: 0, stdout: expect.stringContaining('✔ intact') });
    await box.here(['run', '--', 'true']);
    expect((await since()).stdout).toContain('1 newer than the head');
  });

  test.each(FORGERIES)('shows %s', async (_, forge, message) => {
    const place = await keptHead();
    await forge(place);
    const { code, stdout } = await place.since();
    expect(stdout).toMatch(message);
    expect(code).toBe(1);
  });

  test('shows one changed byte when it looks at all of them', async () => {
    const { audit, since } = await keptHead();
    fs.writeFileSync(path.join(audit, 'stdout.1.log'), 'One\n');
    expect((await since()).code).toBe(0);
    expect(await since('--deep')).toMatchObject({ code: 1, stdout: expect.stringContaining('stdout.1.log') });
  });

  test('lets a run go that was pruned, and names it', async () => {
    const { box, run_id, since } = await keptHead();
    expect((await box.here(['prune', '--older-than', '1ms'])).code).toBe(0);
    expect(await since()).toMatchObject({ code: 0, stdout: expect.stringContaining(`${run_id}: removed`) });
  });

  test('keeps recovery from signing what was sealed before', async () => {
    const { box, run_id, audit } = await keptHead();
    const record = path.join(path.dirname(audit), '.run.json');
    for (const name of ['seal', 'meta', 'fs-diff']) fs.rmSync(path.join(audit, `${name}.1.json`));
    const lost = { ...JSON.parse(fs.readFileSync(record, 'utf8')), live: DEAD };
    fs.writeFileSync(record, JSON.stringify(lost));
    fs.symlinkSync(`../runs/${run_id}`, path.join(box.home, 'live', run_id));
    const { code, stdout, stderr } = await box.tacho(['recover', run_id]);
    expect(code, stdout).toBe(1);
    expect(stderr).toContain('ALREADY_SEALED');
    expect(fs.existsSync(path.join(audit, 'seal.1.json'))).toBe(false);
  });

  test('lets recovery finish a run that was cut off after its seal was entered', async () => {
    const { box, run_id, audit, since } = await keptHead();
    const record = path.join(path.dirname(audit), '.run.json');
    const sealed = JSON.parse(fs.readFileSync(record, 'utf8'));
    fs.writeFileSync(record, JSON.stringify({ ...sealed, live: DEAD }));
    fs.symlinkSync(`../runs/${run_id}`, path.join(box.home, 'live', run_id));
    expect((await box.here(['verify', run_id])).stdout).toContain('◐ incomplete');
    expect(await box.tacho(['recover', run_id])).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(fs.readFileSync(record, 'utf8'))).toEqual(sealed);
    expect(fs.readdirSync(path.join(box.home, 'live'))).toEqual([]);
    expect((await box.here(['verify', run_id])).code).toBe(0);
    expect((await since('--deep')).code).toBe(0);
  });

  test('keeps recovery from signing what was not begun here', async () => {
    const { box, run_id, audit } = await keptHead();
    fs.rmSync(path.join(box.home, 'ledger'), { recursive: true });
    for (const name of ['seal', 'meta', 'fs-diff']) fs.rmSync(path.join(audit, `${name}.1.json`));
    const record = path.join(path.dirname(audit), '.run.json');
    fs.writeFileSync(record, JSON.stringify({ ...JSON.parse(fs.readFileSync(record, 'utf8')), live: DEAD }));
    expect(await box.tacho(['recover', run_id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('NOT_BEGUN_HERE'),
    });
  });

  test('notes seals that are older than the ledger, and reports younger ones that it does not list', async () => {
    const { box, run_id } = await keptHead();
    const ledger = path.join(box.home, 'ledger');
    fs.rmSync(ledger, { recursive: true });
    await box.here(['run', '--', 'true']);
    expect(await box.here(['verify', run_id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('attempt 1: sealed before the ledger began'),
    });
    const younger = box.runIds().at(-1)!;
    rewriteLedger(box, ([entry]) => [{ ...entry!, run_id, at: '2020-01-01T00:00:00.000Z' }]);
    expect(await box.here(['verify', younger])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('seal.1.json: not in the ledger'),
    });
  });

  test('refuses what is not a head', async () => {
    const { box } = await keptHead();
    expect(await box.tacho(['verify', '--since', 'yesterday'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('tacho ledger head'),
    });
  });
});

const DEAD = {
  attempt: 1,
  supervisor: { pid: 1, start_time: '0', boot_id: 'x', host: 'x' },
  child: null,
  marker: 'x',
  started_at: null,
  capture: { mode: 'split', reason: 'x', level: 'full' },
  env_names: [],
  secret_names: [],
};
