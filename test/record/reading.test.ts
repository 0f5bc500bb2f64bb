import { createHash } from 'node:crypto';
import fs from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  archivedNames,
  byteTimes,
  linesAround,
  plainSha256,
  readRunRecord,
  searchFile,
  withFile,
} from '../../src/record/index.ts';
import { folderFiles, runFolderAt } from '../../src/recording/index.ts';
import { blobFile } from '../../studio/source/archive/archive-files.ts';
import { temporaryFolder } from '../recording/recording.ts';
import { sealedRun } from '../recording/sealed-run.ts';
import { proofSize } from '../support/proof-size.ts';
import { onBoth } from './both-ports.ts';

test('a line is shown without the carriage return before its end', async () => {
  const folder = runFolderAt(temporaryFolder());
  fs.mkdirSync(folder.audit);
  fs.writeFileSync(`${folder.audit}/stdout.1.log`, 'one\r\ntwo \r half\r\nthree');
  const lines = await withFile(folderFiles(folder), 'stdout.1.log', (file) =>
    linesAround(file!, { around: 5, before: 1, after: 1 }),
  );
  expect(lines.lines.map(({ text }) => text)).toEqual(['one', 'two \r half', 'three']);
});

test('a run folder and its archive give the same names, times, lines and matches', async () => {
  const { folder } = await sealedRun();
  const names = await onBoth(folder, async (files) => archivedNames(await files.names()).sort());
  expect(names).toContain('.run.json');
  expect(names).toContain('events.jsonl');
  expect((await onBoth(folder, readRunRecord)).run_id).toBe(folder.runId);
  const question = { cursor: 0, limit: 100 };
  expect((await onBoth(folder, (files) => byteTimes(files, 1, question)))!.total).toBe(12);
  for (const about of [{ stream: 'stdout', byte: 7 } as const, { stream: 'pty', byte: 200 } as const]) {
    await onBoth(folder, (files) => byteTimes(files, 1, { ...question, ...about }));
  }
  expect(await onBoth(folder, (files) => byteTimes(files, 2, question))).toBeNull();
  for (const stream of ['stdout.1.log', 'stderr.1.log', 'pty-output.1.log', 'stdin.1.log', 'absent.log']) {
    await onBoth(folder, (files) =>
      withFile(files, stream, async (file) => [
        file && (await linesAround(file, { around: 9, before: 1, after: 2 })),
        file && (await searchFile(file, { text: 'R', ignoreCase: true, from: 2, limit: 3 })),
      ]),
    );
  }
});

test('a name that leads out of the record, or to a link, is not found', async () => {
  const { folder } = await sealedRun();
  fs.symlinkSync('/etc/passwd', `${folder.audit}/link.log`);
  fs.symlinkSync(temporaryFolder(), `${folder.audit}/elsewhere`);
  const files = folderFiles(runFolderAt(folder.path));
  for (const name of ['../.run.json', '/etc/passwd', 'link.log', 'elsewhere/x', 'blobs', '', '.', 'a\0b']) {
    expect(await files.open(name), name).toBeNull();
  }
});

test('a search finds the same as a brute-force scan', async () => {
  const word = fc.stringMatching(/^[abA\n]{1,4}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 40 }), word, fc.boolean(), async (words, text, ignoreCase) => {
      const content = words.join('');
      const [where, what] = ignoreCase ? [content.toLowerCase(), text.toLowerCase()] : [content, text];
      const expected: number[] = [];
      for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + what.length)) expected.push(at);
      const file = blobFile(new Blob([content]));
      const { matches } = await searchFile(file, { text, ignoreCase, from: 0, limit: 1000 });
      expect(matches.map(({ byte_from }) => byte_from)).toEqual(expected);
      const native = (bytes: Uint8Array, wanted: Uint8Array, from: number) => Buffer.from(bytes).indexOf(wanted, from);
      const found = await searchFile(file, { text, ignoreCase, from: 0, limit: 1000, indexOf: native });
      expect(found.matches).toEqual(matches);
      for (const { byte_from, line } of matches) {
        expect(line.line).toBe(content.slice(0, byte_from).split('\n').length);
      }
    }),
    { numRuns: proofSize({ small: 60, full: 200 }) },
  );
});

test('the JavaScript SHA-256 is correct, however the bytes are split', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 5 }), (parts) => {
      const hash = plainSha256.start();
      const expected = createHash('sha256');
      for (const part of parts) {
        hash.update(part);
        expected.update(part);
        expect(hash.digest()).toBe(expected.copy().digest('hex'));
      }
      expect(plainSha256.of(Buffer.concat(parts))).toBe(expected.digest('hex'));
    }),
  );
});
