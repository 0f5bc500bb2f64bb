import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeSha256 } from '../../src/journal/index.ts';
import { Ledger, proofOf } from '../../src/ledger/index.ts';
import type { LedgerProof } from '../../src/protocol/index.ts';
import { formatHead, parseHead } from '../../src/record/index.ts';
import { hashFile, loadSealKey } from '../../src/recording/index.ts';
import { temporaryFolder } from '../recording/recording.ts';
import { sealedRun } from '../recording/sealed-run.ts';
import { verifyBoth } from './both-ports.ts';

/** A sealed run that is the third of five entries, with its proof next to its files. */
async function provenRun() {
  const run = await sealedRun();
  const folder = path.join(temporaryFolder(), 'ledger');
  const ledger = new Ledger(folder);
  const { runId } = run.folder;
  const other = (n: number) => ({
    what: 'sealed' as const,
    run_id: `other-${n}`,
    attempt: 1,
    seal: nodeSha256.of(`${n}`),
  });
  for (const n of [0, 1]) await ledger.append(other(n));
  const early = await ledger.read((reader) => reader.head(run.key));
  await ledger.append({ what: 'recovered', run_id: runId, attempt: 1, seal: hashFile(run.at('seal')).sha256 });
  for (const n of [3, 4]) await ledger.append(other(n));
  const proof = (await proofOf(ledger, { runId, key: run.key, since: early }))!;
  const file = path.join(run.folder.audit, 'ledger-proof.json');
  const write = (value: unknown) => fs.writeFileSync(file, JSON.stringify(value));
  write(proof);
  return { ...run, ledger, proof, write, other };
}

const changed = (proof: LedgerProof, change: (copy: LedgerProof) => void): LedgerProof => {
  const copy = structuredClone(proof);
  change(copy);
  return copy;
};

describe('the proof that a ledger lists the seals of a record', () => {
  test('is valid in Node and in the page, and matches the ledger', async () => {
    const { folder, proof } = await provenRun();
    expect(proof.entries.map(({ line }) => JSON.parse(line).n)).toEqual([0, 2]);
    expect(await verifyBoth(folder)).toMatchObject({ verdict: 'intact', recovered: [1], ledger_head: proof.head });
  });

  test('is invalid if anything in it was changed', async () => {
    const { folder, proof, write, key } = await provenRun();
    const stranger = loadSealKey(temporaryFolder());
    const { size, root, ...rest } = parseHead(proof.head)!;
    const forgeries: unknown[] = [
      'no proof',
      { ...proof, format: 'tacho-ledger-proof/2' },
      { ...proof, head: 'no head' },
      { ...proof, head: formatHead({ ...rest, size: size - 1, root }) },
      { ...proof, head: formatHead({ ...rest, size, root: nodeSha256.of('') }) },
      { ...proof, head: formatHead({ ...rest, size, root, key: stranger.id }) },
      { ...proof, public_key: stranger.publicKey },
      { ...proof, entries: proof.entries.slice(0, 1) },
      { ...proof, entries: [] },
      changed(proof, ({ entries }) => entries[1]!.path.pop()),
      changed(proof, ({ entries }) => entries[1]!.path.reverse()),
      changed(proof, ({ entries }) => {
        entries[1]!.line = entries[1]!.line.replace('recovered', 'sealed');
      }),
      changed(proof, ({ entries }) => {
        entries[1]!.line = entries[1]!.line.replace('"n":2', '"n":3');
      }),
      changed(proof, ({ earlier }) => earlier![0]!.path.pop()),
      changed(proof, ({ earlier }) => {
        earlier![0]!.head = earlier![0]!.head.replace('/1 2 ', '/1 1 ');
      }),
    ];
    for (const [index, forgery] of forgeries.entries()) {
      write(forgery);
      const { verdict, problems } = await verifyBoth(folder);
      expect({ index, verdict }).toEqual({ index, verdict: 'changed' });
      expect(problems).toMatchObject([{ kind: 'signature', path: 'ledger-proof.json' }]);
    }
    expect(key.id).not.toBe(stranger.id);
  });

  test('shows that a seal is different or missing', async () => {
    const run = await provenRun();
    const seal = fs.readFileSync(run.at('seal'), 'utf8');
    fs.writeFileSync(run.at('seal'), seal.replace('{', '{ '));
    expect(await verifyBoth(run.folder)).toMatchObject({
      verdict: 'changed',
      problems: [{ kind: 'signature', path: 'seal.1.json', message: expect.stringContaining('the ledger lists') }],
    });
    fs.rmSync(run.at('seal'));
    expect((await verifyBoth(run.folder)).problems).toContainEqual(
      expect.objectContaining({ kind: 'missing', path: 'seal.1.json' }),
    );
  });

  test('is not made if the ledger does not match the head', async () => {
    const { ledger, key, other, folder } = await provenRun();
    const later = await ledger.read((reader) => reader.head(key));
    const shorter = new Ledger(path.join(temporaryFolder(), 'ledger'));
    await shorter.append({ ...other(0), run_id: folder.runId });
    const proof = await proofOf(shorter, { runId: folder.runId, key, since: later });
    expect(proof).not.toHaveProperty('earlier');
  });
});
