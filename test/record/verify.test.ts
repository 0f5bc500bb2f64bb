import { sign } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFileJournal } from '../../src/journal/index.ts';
import type { Seal } from '../../src/protocol/index.ts';
import { checkSignature } from '../../src/record/verify/seals.ts';
import { loadSealKey, sealAttempt } from '../../src/recording/index.ts';
import { temporaryFolder } from '../recording/recording.ts';
import { type SealedRun, sealedRun } from '../recording/sealed-run.ts';
import { proofSize } from '../support/proof-size.ts';
import { onBoth, verifyBoth } from './both-ports.ts';

const STREAMS = ['stdout', 'stderr', 'pty', 'stdin'] as const;

function writeSeal(run: SealedRun, seal: object): void {
  fs.writeFileSync(run.at('seal'), JSON.stringify(seal));
}

function resign(run: SealedRun, change: Partial<Seal>, key = run.key): Seal {
  const { signature: _signature, ...content } = { ...run.seal, ...change };
  return { ...content, signature: sign(null, Buffer.from(JSON.stringify(content)), key.privateKey).toString('base64') };
}

/** Changes one byte of a file to another one. */
function flip(file: string, at: number): void {
  const bytes = fs.readFileSync(file);
  bytes[at] = bytes[at]! ^ 0x01;
  fs.writeFileSync(file, bytes);
}

describe('a sealed attempt', () => {
  test('is intact without changes, and names its key', async () => {
    const run = await sealedRun();
    expect(await verifyBoth(run.folder)).toEqual({
      verdict: 'intact',
      problems: [],
      checked: { events: 12, files: 7, bytes: expect.any(Number), attempts: 1, signatures: 1 },
      keys: [run.key.id],
      recovered: [],
      source: null,
      older_than_ledger: [],
      ledger_head: null,
    });
    expect(JSON.parse(fs.readFileSync(run.at('seal'), 'utf8'))).toEqual(run.seal);
  });

  test('is sealed once', async () => {
    const run = await sealedRun();
    const before = fs.readFileSync(run.at('seal'));
    expect(fs.statSync(run.at('seal')).mode & 0o777).toBe(0o600);
    expect(() =>
      sealAttempt({ folder: run.folder, attempt: 1, key: run.key, chain: run.seal.chain, diff: null }),
    ).toThrow();
    expect(fs.readFileSync(run.at('seal'))).toEqual(before);
    expect(fs.readdirSync(run.folder.audit).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('detects any changed byte in any of its files', async () => {
    const run = await sealedRun();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...run.seal.files), fc.nat(), async (sealed, place) => {
        const file = path.join(run.folder.audit, sealed.path);
        const before = fs.readFileSync(file);
        flip(file, place % before.length);
        const { verdict, problems } = await verifyBoth(run.folder);
        fs.writeFileSync(file, before);
        expect(verdict).not.toBe('intact');
        expect(problems.map((problem) => problem.path)).toContain(sealed.path);
      }),
      { numRuns: proofSize({ small: 15, full: 60 }) },
    );
    expect((await verifyBoth(run.folder)).verdict).toBe('intact');
  });

  test.each(['stdout', 'stderr', 'pty'] as const)('names the exact byte of %s that was changed', async (stream) => {
    const run = await sealedRun();
    const size = fs.statSync(run.at(stream)).size;
    flip(run.at(stream), size - 4);
    const { verdict, problems } = await verifyBoth(run.folder);
    expect(verdict).toBe('changed');
    expect(problems).toMatchObject([{ kind: 'changed', byte: size - 4, path: path.basename(run.at(stream)) }]);
  });

  test('names the checkpoint after which its input was changed', async () => {
    const run = await sealedRun();
    flip(run.at('stdin'), 8);
    expect((await verifyBoth(run.folder)).problems).toMatchObject([{ kind: 'changed', byte: 5 }]);
  });

  test.each(STREAMS)('detects that %s was truncated or extended, and where', async (stream) => {
    const run = await sealedRun();
    const before = fs.readFileSync(run.at(stream));
    fs.appendFileSync(run.at(stream), 'x');
    expect((await verifyBoth(run.folder)).problems).toMatchObject([
      {
        kind: 'changed',
        byte: before.length,
        message: expect.stringContaining(`${before.length + 1} bytes, sealed with`),
      },
    ]);
    fs.writeFileSync(run.at(stream), before.subarray(0, -1));
    const { verdict, problems } = await verifyBoth(run.folder);
    expect(verdict).toBe('changed');
    expect(problems).toMatchObject([{ kind: 'changed', path: path.basename(run.at(stream)) }]);
    if (stream !== 'stdin') expect(problems[0]!.byte).toBe(before.length - 1);
    fs.rmSync(run.at(stream));
    expect((await verifyBoth(run.folder)).problems).toMatchObject([{ kind: 'missing' }]);
  });

  test('may be followed by events of later attempts, and not by its own', async () => {
    const run = await sealedRun();
    const events = path.join(run.folder.audit, 'events.jsonl');
    const journal = createFileJournal({ locate: () => run.folder.audit, fsync: 'off' });
    const add = async (attempt: number) => {
      const { epoch, lastSeq } = await journal.claim(run.folder.runId);
      const draft = {
        ts: new Date().toISOString(),
        attempt_number: attempt,
        source: { engine: 'text', parser: 'tacho', stream: null, confidence: 1 },
        event: { category: 'lifecycle' as const, type: 'lifecycle.run.status' as const },
        data: { status: 'running' as const },
        correlation: {},
        raw_ref: null,
      };
      await journal.append(run.folder.runId, epoch, lastSeq, [draft]);
      await journal.release(run.folder.runId, epoch);
    };
    const before = fs.readFileSync(events);
    await add(2);
    const later = await verifyBoth(run.folder);
    expect(later.problems.filter(({ kind }) => kind !== 'incomplete')).toEqual([]);
    fs.writeFileSync(events, before);
    await add(1);
    expect(await verifyBoth(run.folder)).toMatchObject({ verdict: 'changed', problems: [{ kind: 'chain' }] });
  });

  test('with a changed stream and an unreadable index is still reported', async () => {
    const run = await sealedRun();
    flip(run.at('stdout'), 3);
    fs.writeFileSync(run.at('chunks'), 'not an index');
    const { verdict, problems } = await verifyBoth(run.folder);
    expect(verdict).toBe('changed');
    expect(problems.map((problem) => problem.path).sort()).toEqual(['chunks.1.idx', 'stdout.1.log']);
  });
});

describe('a seal', () => {
  const expectBadSignature = async (run: SealedRun) => {
    expect(await verifyBoth(run.folder)).toMatchObject({
      verdict: 'changed',
      problems: [{ kind: 'signature', path: 'seal.1.json' }],
    });
  };

  test('whose signature, time, chain, files or key was changed is invalid', async () => {
    const run = await sealedRun();
    const other = loadSealKey(temporaryFolder());
    const zeros = Buffer.alloc(64).toString('base64');
    const verdict = (seal: Seal) => onBoth(run.folder, (files) => checkSignature(files, seal));
    expect(await verdict(run.seal)).toBe('valid');
    const changes: Partial<Seal>[] = [
      { signature: zeros },
      { signature: '' },
      { signature: `{${run.seal.signature}` },
      { signature: run.seal.signature.replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`) },
      { sealed_at: new Date(0).toISOString() },
      { chain: { ...run.seal.chain, seq: run.seal.chain.seq + 1 } },
      { files: run.seal.files.slice(1) },
      { key: { ...run.seal.key, id: other.id } },
      { key: { ...run.seal.key, public_key: other.publicKey } },
      { key: { ...run.seal.key, public_key: 'AAAA' } },
      { run_id: '20261115T080000-text-00000000' },
    ];
    for (const change of changes) expect(await verdict({ ...run.seal, ...change })).toBe('wrong');
    writeSeal(run, { ...run.seal, signature: zeros });
    await expectBadSignature(run);
  });

  test('of another run is invalid here, although its signature is valid', async () => {
    const run = await sealedRun();
    const stranger = resign(run, { run_id: '20261115T080000-text-00000000' });
    expect(await onBoth(run.folder, (files) => checkSignature(files, stranger))).toBe('valid');
    writeSeal(run, stranger);
    await expectBadSignature(run);
  });

  test('made again with another key shows that key', async () => {
    const run = await sealedRun();
    const other = loadSealKey(temporaryFolder());
    const stolen = { key: { algorithm: 'ed25519' as const, id: run.key.id, public_key: other.publicKey } };
    writeSeal(run, resign(run, stolen, other));
    await expectBadSignature(run);
    const own = { key: { algorithm: 'ed25519' as const, id: other.id, public_key: other.publicKey } };
    writeSeal(run, resign(run, own, other));
    expect(await verifyBoth(run.folder)).toMatchObject({ verdict: 'intact', keys: [other.id] });
  });

  test('that is not a seal is broken', async () => {
    const run = await sealedRun();
    for (const content of [
      '',
      '{',
      '{}',
      '[]',
      JSON.stringify({ ...run.seal, more: 1 }),
      JSON.stringify({ ...run.seal, attempt: 0 }),
    ]) {
      fs.writeFileSync(run.at('seal'), content);
      const { verdict, problems } = await verifyBoth(run.folder);
      expect(verdict).toBe('changed');
      expect(problems).toContainEqual(expect.objectContaining({ kind: 'signature', path: 'seal.1.json' }));
    }
  });

  test('key is created once, private, and the same for concurrent processes', () => {
    const folder = temporaryFolder();
    const keys = Array.from({ length: 5 }, () => loadSealKey(path.join(folder, 'keys')));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
    expect(keys[0]!.id).toMatch(/^[0-9a-f]{16}$/);
    expect(fs.readdirSync(path.join(folder, 'keys'))).toEqual(['seal.ed25519.pem']);
    expect(fs.statSync(path.join(folder, 'keys/seal.ed25519.pem')).mode & 0o777).toBe(0o600);
    fs.writeFileSync(path.join(folder, 'keys/seal.ed25519.pem'), 'garbage');
    expect(() => loadSealKey(path.join(folder, 'keys'))).toThrow(
      expect.objectContaining({ code: 'DATA_FOLDER_UNWRITABLE' }),
    );
  });
});

describe('an attempt without a seal', () => {
  test('is incomplete, and still detects changes before its checkpoints', async () => {
    const run = await sealedRun({ sealed: false });
    expect(await verifyBoth(run.folder)).toMatchObject({ verdict: 'incomplete', problems: [{ kind: 'incomplete' }] });
    flip(run.at('stderr'), 2);
    expect(await verifyBoth(run.folder)).toMatchObject({
      verdict: 'changed',
      problems: [{ kind: 'incomplete' }, { kind: 'changed', path: 'stderr.1.log', byte: 2 }],
    });
  });

  test.each(STREAMS)('whose %s was removed is still reported', async (stream) => {
    const run = await sealedRun({ sealed: false });
    fs.rmSync(run.at(stream));
    const { verdict, problems } = await verifyBoth(run.folder);
    expect(verdict).toBe('changed');
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: 'changed', path: path.basename(run.at(stream)), byte: null }),
    );
  });

  test('may have grown after its last checkpoint', async () => {
    const run = await sealedRun({ sealed: false });
    for (const stream of STREAMS) fs.appendFileSync(run.at(stream), 'more');
    expect((await verifyBoth(run.folder)).verdict).toBe('incomplete');
  });
});
