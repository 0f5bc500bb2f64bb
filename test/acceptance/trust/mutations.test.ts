import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  pathInRun,
  type RecordFiles,
  readRunRecord,
  type Verification,
  verifyRecord,
} from '../../../src/record/index.ts';
import { folderFiles, runFolderAt } from '../../../src/recording/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { sandbox } from '../../support/tacho.ts';

type Files = Map<string, Buffer>;

let port: RecordFiles;

/** The files of a recorded run. */
async function readRecord(): Promise<Files> {
  const box = sandbox();
  await box.here(['run', '--translate', '1', '--', 'sh', '-c', 'echo out; echo err >&2; echo made > made.txt']);
  const run = path.dirname(box.audit());
  port = folderFiles(runFolderAt(run));
  const names = await port.names();
  return new Map(names.map((name) => [name, fs.readFileSync(path.join(run, pathInRun(name)))]));
}

/** A record in memory, because the test checks thousands of them. */
function inMemory(files: Files): RecordFiles {
  return {
    ...port,
    names: async () => [...files.keys()],
    async open(name) {
      const content = files.get(name);
      if (!content) return null;
      const read = async (from: number, to: number) => content.subarray(Math.max(0, from), Math.max(0, to));
      return { size: content.length, read, close: async () => {} };
    },
  };
}

const verify = (files: Files): Promise<Verification> => verifyRecord(inMemory(files));

/** Files that readers check themselves or do not need, and files internal to the recorder. */
const NOT_SHOWN = /^(?:events\.idx|conversation\.point\.json|lock\.\d+|.*\.tmp)$/;

/** Everything that is shown of a record, as one string: each byte, and the content of the run record and the seals. */
async function shown(files: Files): Promise<string> {
  const record = await readRunRecord(inMemory(files)).catch(() => 'unreadable');
  const rest = [...files].filter(([name]) => name !== '.run.json' && !NOT_SHOWN.test(name)).sort();
  const said = rest.map(([name, content]) => [
    name,
    (/^seal\.\d+\.json$/.test(name) && parsed(content)) || content.toString('base64'),
  ]);
  return JSON.stringify([record, said], (_, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  );
}

/** The changed files with their current content, to investigate an undetected change. */
function difference(before: Files, after: Files): string {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const differ = names.filter((name) => !after.get(name)?.equals(before.get(name) ?? Buffer.alloc(0)));
  return differ.map((name) => `${name}: ${after.get(name)?.toString('latin1') ?? 'removed'}`).join('\n');
}

type Mutation = (files: Files) => void;

const content = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((text) => Buffer.from(`${text}\n`)),
);

/** Changes one existing file, chosen by a number. */
function inFile(change: (before: Buffer, files: Files) => Buffer): (which: number) => Mutation {
  return (which) => (files) => {
    const name = [...files.keys()][which % files.size]!;
    files.set(name, change(files.get(name)!, files));
  };
}

const inBytes = fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 30 }), content).chain(([which, place, length, bytes]) => {
  const spliced = (removed: number, added: Buffer) =>
    inFile((before) => {
      const at = before.length === 0 ? 0 : place % before.length;
      return Buffer.concat([before.subarray(0, at), added, before.subarray(at + removed)]);
    })(which);
  return fc.constantFrom(
    spliced(bytes.length, bytes),
    spliced(length, Buffer.alloc(0)),
    spliced(0, bytes),
    inFile((before) => before.subarray(0, place % (before.length + 1)))(which),
    inFile((before) => Buffer.concat([before, bytes]))(which),
  );
});

const inLines = fc.tuple(fc.nat(), fc.nat(), fc.nat()).chain(([which, one, other]) => {
  const lines = (change: (all: string[], a: number, b: number) => string[]) =>
    inFile((before) => {
      const all = before.toString('latin1').split('\n');
      return Buffer.from(change(all, one % all.length, other % all.length).join('\n'), 'latin1');
    })(which);
  return fc.constantFrom(
    lines((all, a) => all.toSpliced(a, 1)),
    lines((all, a, b) => all.toSpliced(b, 0, all[a]!)),
    lines((all, a, b) => all.with(a, all[b]!).with(b, all[a]!)),
  );
});

/** Replaces or removes a value somewhere in a JSON file. */
const inJson = fc.tuple(fc.nat(), fc.nat(), fc.jsonValue()).map(
  ([which, place, value]): Mutation =>
    (files) => {
      const names = [...files.keys()].filter((name) => name.endsWith('.json'));
      const name = names[which % names.length] ?? '';
      const root = parsed(files.get(name));
      const places = holders(root);
      if (places.length === 0) return;
      const [holder, key] = places[place % places.length]!;
      if (place % 5 === 0) delete (holder as Record<string, unknown>)[key];
      else (holder as Record<string, unknown>)[key] = value;
      files.set(name, Buffer.from(JSON.stringify(root)));
    },
);

function parsed(content: Buffer | undefined): unknown {
  try {
    return JSON.parse(String(content));
  } catch {
    return null; // An earlier mutation broke it.
  }
}

function holders(value: unknown): [object, string][] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, part]) => [[value, key] as [object, string], ...holders(part)]);
}

const ofFiles = fc.tuple(fc.nat(), fc.nat(), content).chain(([one, other, bytes]) => {
  const name = (files: Files, which: number) => [...files.keys()][which % files.size]!;
  return fc.constantFrom<Mutation[]>(
    (files) => void files.delete(name(files, one)),
    (files) => void files.set(name(files, one), files.get(name(files, other))!),
    (files) => {
      const from = name(files, one);
      files.set(
        from.replace(/\d+/, (digits) => String(Number(digits) + 1)),
        files.get(from)!,
      );
    },
    (files) => {
      const from = name(files, one);
      const kept = files.get(from)!;
      files.delete(from);
      files.set(from.replace('.1.', '.2.'), kept);
    },
    (files) => void files.set(['notes.txt', 'meta.2.json', 'blobs/x', 'conversation.jsonl'][other % 4]!, bytes),
  );
});

test('verify reports every random change to the visible content of a record', { timeout: 1_800_000 }, async () => {
  const original = await readRecord();
  const shownBefore = await shown(original);
  expect((await verify(original)).verdict).toBe('intact');
  let counted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(inBytes, inLines, inJson, ofFiles), { minLength: 1, maxLength: 3 }),
      async (mutations) => {
        const files: Files = new Map(original);
        for (const mutate of mutations) {
          if (files.size > 0) mutate(files);
        }
        if ((await shown(files)) === shownBefore) return;
        counted++;
        expect((await verify(files)).verdict, difference(original, files)).not.toBe('intact');
      },
    ),
    { numRuns: proofSize({ small: 150, full: 12_000 }) },
  );
  expect(counted).toBeGreaterThan(proofSize({ small: 100, full: 10_000 }));
});
