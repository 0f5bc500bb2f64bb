import { execFileSync } from 'node:child_process';
import { sign } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeSha256 as sha256 } from '../../src/journal/index.ts';
import { Ledger, proofOf } from '../../src/ledger/index.ts';
import { isIncluded, leafHash, parseHead } from '../../src/record/index.ts';
import { loadSealKey, type SealKey } from '../../src/recording/index.ts';

const base = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-places-'));
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));

const key = loadSealKey(path.join(base, 'keys'));
const stranger = loadSealKey(path.join(base, 'other-keys'));
const RUNS = 350;
const SIZE = 700;
const runOf = (n: number) => `20261116T080000-text-${String(n % RUNS).padStart(8, '0')}`;

/** A ledger with two entries for each run, and the proofs of a run. */
function filled({ at = '2026-11-16T08:00:00.000Z', size = SIZE } = {}) {
  const folder = fs.mkdtempSync(path.join(base, 'ledger-'));
  const entries = path.join(folder, 'entries.jsonl');
  const places = path.join(folder, 'places');
  let previous = sha256.of('');
  const lines = Array.from({ length: size }, (_, n) => {
    const seal = sha256.of(`seal ${n}`);
    const attempt = 1 + Math.floor(n / RUNS);
    const line = JSON.stringify({ n, at, what: 'sealed', run_id: runOf(n), attempt, seal, previous });
    previous = leafHash(Buffer.from(line), sha256);
    return line;
  });
  fs.writeFileSync(entries, `${lines.join('\n')}\n`);
  const ledger = new Ledger(folder);
  return { folder, entries, places, ledger, proven: (n: number) => provenEntries(ledger, runOf(n)) };
}

/** The numbers of the entries in a proof, after an independent check. */
async function provenEntries(ledger: Ledger, runId: string, signedWith: SealKey = key): Promise<number[] | null> {
  const proof = await proofOf(ledger, { runId, key: signedWith });
  if (!proof) return null;
  const head = parseHead(proof.head)!;
  return proof.entries.map(({ line, path: hashes }) => {
    const { n } = JSON.parse(line);
    expect(isIncluded(leafHash(Buffer.from(line), sha256), n, head, hashes, sha256)).toBe(true);
    return n;
  });
}

/** A list of places without the records of a run, or with them at wrong places. */
function forged(file: string, by: SealKey): Buffer {
  const content = fs.readFileSync(file);
  const from = content.indexOf('\n') + 1;
  const [format, size, end, leaf] = content.toString('latin1', 0, from).split(' ');
  const records = Buffer.from(content.subarray(from));
  records.copyWithin(355 * 10, 356 * 10, 357 * 10);
  const text = `${format} ${size} ${end} ${leaf}`;
  const signature = sign(null, Buffer.from(`${text} ${sha256.of(records)}`), by.privateKey).toString('base64url');
  return Buffer.concat([Buffer.from(`${text} ${signature}\n`), records]);
}

const flipped = (file: string, at: number) => {
  const content = fs.readFileSync(file);
  const place = at < 0 ? content.length + at : at;
  content[place]! ^= 1;
  fs.writeFileSync(file, content);
};

type Damage = (file: string) => void | Promise<void>;
const DAMAGES: [what: string, damage: Damage][] = [
  ['is missing', (file) => fs.rmSync(file)],
  ['is empty', (file) => fs.truncateSync(file)],
  ['is truncated in its header', (file) => fs.truncateSync(file, 100)],
  ['is truncated at a record', (file) => fs.truncateSync(file, fs.statSync(file).size - 10)],
  ['is truncated within a record', (file) => fs.truncateSync(file, fs.statSync(file).size - 3)],
  ['holds zeros', (file) => fs.writeFileSync(file, Buffer.alloc(fs.statSync(file).size))],
  ['is endless', (file) => fs.truncateSync(file, 2 ** 33)],
  ['has another number of entries', (file) => flipped(file, 'tacho-ledger-places/1 '.length)],
  ['has another tag', (file) => flipped(file, -345 * 10)],
  ['has another place', (file) => flipped(file, -345 * 10 + 9)],
  ['leaves out an entry', (file) => fs.writeFileSync(file, forged(file, stranger))],
  [
    'is that of another ledger with this key',
    async (file) => {
      const other = filled({ at: '2026-11-16T09:00:00.000Z' });
      await other.proven(1);
      fs.copyFileSync(other.places, file);
    },
  ],
  [
    'is that of a longer ledger',
    async (file) => {
      const longer = filled({ size: SIZE + 50 });
      await longer.proven(1);
      fs.copyFileSync(longer.places, file);
    },
  ],
  [
    'was made with another key',
    async (file) => {
      const other = filled();
      await provenEntries(other.ledger, runOf(1), stranger);
      fs.copyFileSync(other.places, file);
    },
  ],
];

describe('the list of entry places', () => {
  it('finds every entry of every run, and none for a run without entries', async () => {
    const { ledger, places, proven } = filled();
    expect(await proven(5)).toEqual([0, 5, 355]);
    expect(fs.statSync(places).mode & 0o777).toBe(0o600);
    for (let n = 0; n < RUNS; n += 7) expect(await proven(n)).toEqual(n === 0 ? [0, RUNS] : [0, n, RUNS + n]);
    expect(await provenEntries(ledger, 'another')).toBeNull();
  });

  it('is not written for a few entries', async () => {
    const { places, proven } = filled({ size: 200 });
    expect(await proven(5)).toEqual([0, 5]);
    expect(fs.statSync(places).size).toBe(0);
  });

  it('is completed with entries added since', async () => {
    const { ledger, places, proven } = filled();
    await proven(5);
    const before = fs.readFileSync(places);
    await ledger.append({ what: 'removed', run_id: runOf(5), attempt: null, seal: null });
    expect(await proven(5)).toEqual([0, 5, 355, SIZE]);
    expect(fs.readFileSync(places)).toEqual(before);
  });

  it('grows when many entries were added, also from an earlier list', async () => {
    const { folder, places } = filled({ size: 300 });
    await provenEntries(new Ledger(folder), runOf(5));
    const { places: later, proven } = filled();
    fs.copyFileSync(places, later);
    expect(await proven(5)).toEqual([0, 5, 355]);
    const grown = fs.readFileSync(later);
    fs.rmSync(later);
    await proven(5);
    expect(grown).toEqual(fs.readFileSync(later));
  });

  it.each(DAMAGES)('is rebuilt if it %s', async (_, damage) => {
    const { places, proven } = filled();
    await proven(5);
    const before = fs.readFileSync(places);
    await damage(places);
    expect(await proven(5)).toEqual([0, 5, 355]);
    expect(fs.readFileSync(places)).toEqual(before);
  });

  it('is trusted by its signature alone, so the forged list above is a real test', async () => {
    const { places, proven } = filled();
    await proven(5);
    fs.writeFileSync(places, forged(places, key));
    expect(await proven(5)).toEqual([0, 5]);
  });

  it.each([
    ['folder', (file: string) => fs.mkdirSync(file)],
    ['pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['link', (file: string) => fs.symlinkSync('/etc/hostname', file)],
  ])('is not used if a %s is in its place', async (_, put) => {
    const { places, proven } = filled();
    put(places);
    expect(await proven(5)).toEqual([0, 5, 355]);
    expect(fs.lstatSync(places).isFile()).toBe(false);
  });

  it('is not built from entries whose chain is broken', async () => {
    const { ledger, entries, places, proven } = filled();
    const text = fs.readFileSync(entries, 'utf8');
    await ledger.read((reader) => reader.tree());
    // An entry of another run while the list is built, restored afterwards.
    fs.writeFileSync(entries, text.replace(`${runOf(5)}","attempt":2`, `${runOf(6)}","attempt":2`));
    await expect(proven(5)).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    expect(fs.statSync(places).size).toBe(0);
    fs.writeFileSync(entries, text);
    expect(await proven(5)).toEqual([0, 5, 355]);
  });

  it('gives no proof of an entry changed since', async () => {
    const { entries, proven } = filled();
    await proven(5);
    const text = fs.readFileSync(entries, 'utf8');
    for (const changed of [
      text.replace(`${runOf(5)}","attempt":2`, `${runOf(6)}","attempt":2`),
      text.replace(`${runOf(5)}","attempt":2`, `${runOf(5)}","attempt":3`),
      text.replace(`${runOf(5)}","attempt":2`, `${runOf(5)}";"attempt":2`),
    ]) {
      fs.writeFileSync(entries, changed);
      await expect(proven(5)).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    }
  });
});

describe('a proof', () => {
  it('has the right hashes even if the stored ones are wrong', async () => {
    const { folder, proven } = filled();
    await proven(5);
    const hashes = path.join(folder, 'hashes');
    const before = fs.readFileSync(hashes);
    // After four leaves with three subtrees, and one more leaf. The proof of entry 4 starts with it.
    const leafOfEntryFive = 8;
    flipped(hashes, leafOfEntryFive * 32);
    expect(await proven(4)).toEqual([0, 4, 354]);
    expect(fs.readFileSync(hashes)).toEqual(before);
  });
});
