import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { genesisChain, nodeSha256 } from '../../src/journal/index.ts';
import { plainSha256 } from '../../src/record/index.ts';
import type { RecordFile } from '../../src/record/record-files.ts';
import { type ChainScope, verifyChain as verifyFile, walkChain } from '../../src/record/walk-chain.ts';
import { openRecordFile } from '../../src/recording/index.ts';
import { blobFile } from '../../studio/source/archive/archive-files.ts';
import { auditFolder, collect, drafts, logPath, RUN, writeEvents } from '../journal/workspace.ts';

/** The verdict of Node and of a page, which must agree. */
async function verifyChain(path: string, runId: string, scope: Pick<ChainScope, 'upToBytes'> = {}) {
  const file = await openRecordFile(path);
  const verdict = await verifyFile(file, { runId, sha256: nodeSha256, ...scope });
  const content: RecordFile | null = file && blobFile(new Blob([readFileSync(path)]));
  await file?.close();
  expect(await verifyFile(content, { runId, sha256: plainSha256, ...scope })).toEqual(verdict);
  return verdict;
}

async function sample(count: number) {
  const folder = auditFolder();
  const events = await writeEvents(folder, drafts(count));
  const path = logPath(folder);
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n').slice(0, -1);
  return { path, text, lines, events };
}

test('an unchanged log is valid, and its head is the last event’s chain value', async () => {
  const { path, text, events } = await sample(2000);
  expect(await verifyChain(path, RUN)).toEqual({
    ok: true,
    lines: 2000,
    bytes: text.length,
    lastSeq: 2000,
    head: events.at(-1)!.chain,
  });
});

test('an empty or missing log has no events', async () => {
  const { path } = await sample(1);
  const nothing = { ok: true, lines: 0, bytes: 0, lastSeq: 0, head: genesisChain(RUN) };
  writeFileSync(path, '');
  expect(await verifyChain(path, RUN)).toEqual(nothing);
  rmSync(path);
  expect(await verifyChain(path, RUN)).toEqual(nothing);
});

test('any changed byte is found in its line', async () => {
  const { path, text, lines } = await sample(4);
  const bytes = Buffer.from(text);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const changed = Buffer.from(bytes);
      changed[at]! ^= mask;
      writeFileSync(path, changed);
      const line = bytes.subarray(0, at).toString().split('\n').length;
      const byteFrom = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
      const verdict = await verifyChain(path, RUN);
      expect(verdict).toMatchObject({ ok: false, lines: line - 1, problem: { line, byteFrom } });
    }),
    { numRuns: 400 },
  );
});

test('a changed word, a missing line, swapped lines, a foreign line and a truncated end are distinguished', async () => {
  const { path, lines } = await sample(6);
  const offsetOf = (line: number) => lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  const [one, two, three, four, five, six] = lines as [string, string, string, string, string, string];
  const cases: [string, string[], { kind: string; line: number }][] = [
    ['changed word', [one, two.replace('line 1', 'LINE 1'), three, four, five, six], { kind: 'chain', line: 2 }],
    ['changed time', [one, two, three.replace('T08', 'T07'), four, five, six], { kind: 'chain', line: 3 }],
    ['deleted line', [one, two, four, five, six], { kind: 'seq', line: 3 }],
    ['deleted first line', [two, three, four, five, six], { kind: 'seq', line: 1 }],
    ['swapped lines', [one, two, four, three, five, six], { kind: 'seq', line: 3 }],
    ['doubled line', [one, two, two, three, four, five, six], { kind: 'seq', line: 3 }],
    ['renumbered after a deletion', [one, three.replace('"seq":3', '"seq":2')], { kind: 'chain', line: 2 }],
    ['not JSON', [one, two, three, 'four', five, six], { kind: 'not_json', line: 4 }],
    ['empty line', [one, '', two], { kind: 'not_json', line: 2 }],
    ['no chain', [one, two, `${three.slice(0, -76)}}`, four], { kind: 'framing', line: 3 }],
    ['another run', [one.replaceAll(RUN, '20261115T080000-codex-ffffffff')], { kind: 'chain', line: 1 }],
  ];
  for (const [name, changed, problem] of cases) {
    writeFileSync(path, `${changed.join('\n')}\n`);
    const verdict = await verifyChain(path, RUN);
    expect(verdict, name).toMatchObject({ ok: false, lines: problem.line - 1, problem });
  }
  writeFileSync(path, lines.join('\n').slice(0, -10));
  expect(await verifyChain(path, RUN)).toMatchObject({
    ok: false,
    lastSeq: 5,
    problem: { kind: 'torn', line: 6, byteFrom: offsetOf(6), byteTo: lines.join('\n').length - 10 },
  });
});

test('a log can be verified up to its seal', async () => {
  const { path, text, lines, events } = await sample(6);
  const sealed = `${lines.slice(0, 4).join('\n')}\n`.length;
  const four = { lines: 4, bytes: sealed, lastSeq: 4, head: events[3]!.chain };
  writeFileSync(path, text.replace('line 5', 'LINE 5'));
  expect(await verifyChain(path, RUN, { upToBytes: sealed })).toEqual({ ok: true, ...four });
  writeFileSync(path, text.slice(0, sealed));
  expect(await verifyChain(path, RUN, { upToBytes: text.length })).toMatchObject({
    ok: false,
    ...four,
    problem: { kind: 'short', line: 5, byteFrom: sealed, byteTo: text.length },
  });
});

test('the walk continues after a problem, so that one changed line is one finding', async () => {
  const { path, text } = await sample(5);
  writeFileSync(path, text.replace('line 2', 'LINE 2'));
  const file = (await openRecordFile(path))!;
  const walked = await collect(walkChain(file, { runId: RUN, sha256: nodeSha256 }));
  await file.close();
  expect(walked.map(({ line, seq, problem }) => [line, seq, problem?.kind])).toEqual([
    [1, 1, undefined],
    [2, 2, undefined],
    [3, 3, 'chain'],
    [4, 4, undefined],
    [5, 5, undefined],
  ]);
  expect(Buffer.concat(walked.flatMap(({ bytes }) => [bytes, Buffer.from('\n')])).toString()).toBe(
    readFileSync(path, 'utf8'),
  );
});
