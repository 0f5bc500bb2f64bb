import { generateKeyPairSync, verify } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { nodeSha256 as sha256 } from '../../src/journal/index.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { formatHead, isConsistent, isIncluded, parseHead, signedText } from '../../src/record/index.ts';
import { keyId } from '../../src/recording/seal-key.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-ledger-'));
  folders.push(folder);
  return path.join(folder, 'ledger');
}

async function ledgerOf(count: number): Promise<{ ledger: Ledger; folder: string; entries: string; hashes: string }> {
  const folder = newFolder();
  const ledger = new Ledger(folder);
  for (let n = 0; n < count; n++) await ledger.append(sealOf(n));
  return { ledger, folder, entries: path.join(folder, 'entries.jsonl'), hashes: path.join(folder, 'hashes') };
}

const sealOf = (n: number) => ({
  what: 'sealed' as const,
  run_id: `20261116T080000-text-${String(n).padStart(8, '0')}`,
  attempt: 1,
  seal: sha256.of(`seal ${n}`),
});

const rootOf = (ledger: Ledger) => ledger.read((reader) => reader.tree());

describe('ledger', () => {
  it('keeps its entries private', async () => {
    const { folder, entries, hashes } = await ledgerOf(1);
    expect([folder, entries, hashes].map((file) => fs.statSync(file).mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
  });

  it('syncs each entry to disk once', async () => {
    const { ledger } = await ledgerOf(3);
    const forced = [vi.spyOn(fs, 'fdatasyncSync'), vi.spyOn(fs, 'fsyncSync')];
    await ledger.append(sealOf(3));
    const calls = forced.map((spy) => spy.mock.calls.length);
    vi.restoreAllMocks();
    expect(calls).toEqual([1, 0]);
  });

  it('enters the entries of many concurrent writers', async () => {
    const folder = newFolder();
    await Promise.all(Array.from({ length: 40 }, (_, n) => new Ledger(folder).append(sealOf(n))));
    const runs = await new Ledger(folder).read((reader) => [...reader.entries()].map(({ entry }) => entry.run_id));
    expect(runs.toSorted()).toEqual(Array.from({ length: 40 }, (_, n) => sealOf(n).run_id));
  });

  it('proves each entry, and that it grew', async () => {
    const { ledger } = await ledgerOf(11);
    const before = await rootOf(ledger);
    for (let n = 11; n < 20; n++) await ledger.append(sealOf(n));
    await ledger.read((reader) => {
      const tree = reader.tree();
      for (const { entry, leaf } of reader.entries()) {
        expect(isIncluded(leaf, entry.n, tree, reader.inclusionOf(entry.n), sha256)).toBe(true);
      }
      expect(isConsistent(before, tree, reader.consistencyWith(11), sha256)).toBe(true);
      expect(reader.tree(11)).toEqual(before);
    });
  });

  it('signs its head in one line', async () => {
    const { ledger } = await ledgerOf(3);
    const { privateKey, publicKey: pair } = generateKeyPairSync('ed25519');
    const publicKey = pair.export({ type: 'spki', format: 'der' }).toString('base64');
    const line = formatHead(
      await ledger.read((reader) => reader.head({ id: keyId(publicKey), privateKey, publicKey })),
    );
    const head = parseHead(` ${line}\n`)!;
    expect(head.size).toBe(3);
    expect(verify(null, Buffer.from(signedText(head)), pair, Buffer.from(head.signature, 'base64url'))).toBe(true);
    expect(parseHead(line.replace('tacho', 'other'))).toBeNull();
  });

  it.each([
    ['is missing', (file: string) => fs.rmSync(file)],
    ['is truncated', (file: string) => fs.truncateSync(file, 100)],
    ['has another content', (file: string) => fs.writeFileSync(file, Buffer.alloc(fs.statSync(file).size))],
  ])('rebuilds its hashes if their file %s', async (_, damage) => {
    const { ledger, hashes } = await ledgerOf(9);
    const before = await rootOf(ledger);
    damage(hashes);
    expect(await rootOf(ledger)).toEqual(before);
    damage(hashes);
    await ledger.append(sealOf(9));
    expect(await ledger.read((reader) => reader.tree(9))).toEqual(before);
  });

  it('overwrites an incomplete entry left by a crash', async () => {
    const { ledger, entries } = await ledgerOf(3);
    const before = await rootOf(ledger);
    fs.appendFileSync(entries, `{"n":3,"at":"2026-11-16T08:00:00.000Z","what":"sealed","run_id":"${'x'.repeat(400)}`);
    expect(await rootOf(ledger)).toEqual(before);
    await ledger.append(sealOf(3));
    expect(await ledger.read((reader) => [...reader.entries()].map(({ entry }) => entry.n))).toEqual([0, 1, 2, 3]);
  });

  it.each([
    [
      'changed',
      (lines: string[]) => lines.with(1, lines[1]!.replace('"attempt":1', '"attempt":2')),
      /entry 2 does not follow/,
    ],
    ['missing', (lines: string[]) => lines.toSpliced(1, 1), /entry 1 is missing/],
    ['no entry', (lines: string[]) => lines.with(1, '{}'), /not an entry/],
    ['endless', (lines: string[]) => lines.with(1, 'x'.repeat(9000)), /not JSON|longer/],
  ])('reports an entry that is %s', async (_, change, message) => {
    const { ledger, entries } = await ledgerOf(4);
    const lines = fs.readFileSync(entries, 'utf8').split('\n');
    fs.writeFileSync(entries, change(lines).join('\n'));
    await expect(ledger.read((reader) => [...reader.entries()])).rejects.toMatchObject({
      code: 'LEDGER_DAMAGED',
      message: expect.stringMatching(message),
    });
  });
});
