import { expect, test } from 'vitest';
import type { FsChange, FsDiff, FsEntry } from '../../src/protocol/index.ts';
import { diffTexts } from '../../src/record/changes/text-diff.ts';
import { foldEvents } from '../../src/record/index.ts';
import { byteSize } from '../../studio/model/bytes/byte-size.ts';
import { sideBySideRows, unifiedRows } from '../../studio/model/files/diff-rows.ts';
import { countChanges, mergeDiffs, touchedBy } from '../../studio/model/files/file-changes.ts';
import { treeRows } from '../../studio/model/files/file-tree.ts';
import { wordMarks } from '../../studio/model/files/word-marks.ts';
import { eventsOf } from './events.ts';

function entry(path: string, letter: string, more: Partial<FsEntry> = {}): FsEntry {
  return { path, type: 'file', size: 3, mtime_ns: '0', mode: 0o644, sha256: letter.repeat(64), ...more };
}

function change(path: string, before: string | null, after: string | null): FsChange {
  const side = (letter: string | null) => (letter === null ? null : entry(path, letter));
  const blob = (letter: string | null) => letter?.repeat(64) ?? null;
  return {
    path,
    type: 'file',
    before: side(before),
    after: side(after),
    before_blob: blob(before),
    after_blob: blob(after),
  };
}

function diff(...changes: FsChange[]): FsDiff {
  return {
    format: 'tacho-fs-diff/1',
    created: changes.filter(({ before }) => before === null),
    modified: changes.filter(({ before, after }) => before !== null && after !== null),
    deleted: changes.filter(({ after }) => after === null),
    unreadable: [],
  };
}

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('');
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`);

test('the changes of a whole run compare the state before its first attempt with the one after its last', () => {
  const merged = mergeDiffs([
    diff(change('new', null, 'a'), change('old', 'b', 'c'), change('back', 'd', 'e'), change('gone', 'f', '1')),
    diff(change('new', 'a', '2'), change('back', 'e', 'd'), change('gone', '1', null)),
    diff(change('brief', null, '3'), change('later', '4', '5')),
    diff(change('brief', '3', null)),
  ]);
  expect(merged.map(({ path, kind }) => [path, kind])).toEqual([
    ['gone', 'deleted'],
    ['later', 'modified'],
    ['new', 'created'],
    ['old', 'modified'],
  ]);
  expect(merged[2]).toMatchObject({ beforeBlob: null, afterBlob: '2'.repeat(64) });
  expect(merged[0]).toMatchObject({ beforeBlob: 'f'.repeat(64), afterBlob: null });
  expect(countChanges(merged)).toEqual({ created: 1, modified: 2, deleted: 1 });
});

test('a change of mode alone, or of an unreadable file, is a change', () => {
  const mode = { ...change('run.sh', 'a', 'a'), after: entry('run.sh', 'a', { mode: 0o755 }) };
  const secret = change('secret', 'a', 'a');
  secret.before!.sha256 = null;
  secret.after!.sha256 = null;
  expect(mergeDiffs([diff(mode, secret)]).map(({ path }) => path)).toEqual(['run.sh', 'secret']);
});

test('the tree has folders first, and one row for nested folders without other entries', () => {
  const changes = mergeDiffs([
    diff(change('z.txt', null, 'a'), change('src/deep/er/one.ts', 'a', 'b'), change('src/deep/er/two.ts', 'a', 'b')),
  ]);
  const shown = (rows: ReturnType<typeof treeRows>) =>
    rows.map(({ name, depth, folder }) => `${'  '.repeat(depth)}${name}${folder ? ` ${folder.changes}` : ''}`);
  expect(shown(treeRows(changes))).toEqual(['src/deep/er 2', '  one.ts', '  two.ts', 'z.txt']);
  expect(shown(treeRows(changes, { closed: new Set(['src/deep/er']) }))).toEqual(['src/deep/er 2', 'z.txt']);
  expect(shown(treeRows(changes, { filter: 'TWO' }))).toEqual(['src/deep/er 1', '  two.ts']);
  expect(treeRows(changes, { filter: 'nothing' })).toEqual([]);
});

test('a created folder has a row with its own change', () => {
  const rows = treeRows(mergeDiffs([diff(change('made', null, 'a'), change('made/file', null, 'b'))]));
  expect(rows.map(({ path, change: own, folder }) => [path, own?.kind, folder?.changes])).toEqual([
    ['made', 'created', 1],
    ['made/file', 'created', undefined],
  ]);
});

test('the event of a file is the last one that names it in the selected attempt', () => {
  const artifact = { path: 'a', size: 1, sha256: null };
  const model = foldEvents(
    eventsOf([
      ['artifact.created', artifact],
      ['artifact.modified', artifact, 2],
    ]),
  );
  expect(touchedBy(model, null).get('a')).toBe(2);
  expect(touchedBy(model, 1).get('a')).toBe(1);
  expect(touchedBy(model, 3).get('a')).toBeUndefined();
});

test('a diff shows three lines around each change, and joins nearby changes', () => {
  const before = numbered(60);
  const after = before.with(10, 'changed').with(16, 'changed too').with(40, 'far away');
  const { hunks, skippedAfter, tooDifferent } = diffTexts(lines(...before), lines(...after));
  expect(tooDifferent).toBe(false);
  expect(hunks.map(({ skipped, lines: shown }) => [skipped, shown.length])).toEqual([
    [7, 15],
    [17, 8],
  ]);
  expect(skippedAfter).toBe(16);
  const [removed, added] = hunks[1]!.lines.slice(3, 5);
  expect(removed).toEqual({
    kind: 'removed',
    before: 41,
    after: null,
    text: 'line 40',
    other: 'far away',
    ended: true,
  });
  expect(added).toMatchObject({ kind: 'added', before: null, after: 41, text: 'far away', other: 'line 40' });
});

test('a missing line feed at the end is shown, and is a change by itself', () => {
  const [hunk] = diffTexts('one\ntwo', 'one\ntwo\n').hunks;
  expect(hunk!.lines.map(({ kind, text, ended }) => [kind, text, ended])).toEqual([
    ['same', 'one', true],
    ['removed', 'two', false],
    ['added', 'two', true],
  ]);
  expect(diffTexts('', '').hunks).toEqual([]);
  expect(diffTexts('', 'a\n\n').hunks[0]!.lines.map(({ text }) => text)).toEqual(['a', '']);
});

test('side by side, a changed line is next to its new version', () => {
  const text = diffTexts(lines('a', 'b', 'c', 'd'), lines('a', 'B', 'd', 'e'));
  const shown = sideBySideRows(text).map((row) => row.kind === 'pair' && [row.before?.text, row.after?.text]);
  expect(shown).toEqual([
    ['a', 'a'],
    ['b', 'B'],
    ['c', undefined],
    ['d', 'd'],
    [undefined, 'e'],
  ]);
  expect(unifiedRows(text).filter(({ hunk }) => hunk !== null)).toHaveLength(1);
});

test('changed words are marked, except in completely changed lines', () => {
  expect(wordMarks('const total = 2;', 'const total = 1;')).toEqual([
    { text: 'const total = ', changed: false },
    { text: '2', changed: true },
    { text: ';', changed: false },
  ]);
  expect(wordMarks('something else', 'const total = 1;')).toEqual([{ text: 'something else', changed: false }]);
});

// Comparing every line with every other would exceed the test's timeout.
test('ten thousand lines without common lines are shown, old before new', () => {
  const before = lines(...Array.from({ length: 10_000 }, (_, at) => `old ${at * 7}`));
  const after = lines(...Array.from({ length: 10_000 }, (_, at) => `new ${at * 3}`));
  const { hunks } = diffTexts(before, after);
  expect(hunks).toHaveLength(1);
  expect(hunks[0]!.lines).toHaveLength(20_000);
});

test('ten thousand lines with a change in every third are compared line by line', () => {
  const before = numbered(10_000);
  const after = before.map((line, at) => (at % 3 === 2 ? `changed ${line}` : line));
  const { hunks, tooDifferent } = diffTexts(lines(...before), lines(...after));
  expect(tooDifferent).toBe(false);
  expect(hunks).toHaveLength(1);
  expect(hunks[0]!.lines.filter(({ kind }) => kind === 'same')).toHaveLength(6667);
});

test('formats sizes', () => {
  expect([0, 999, 1000, 14_336, 262_144, 1_300_000].map(byteSize)).toEqual([
    '0 B',
    '999 B',
    '1.0 KB',
    '14 KB',
    '256 KB',
    '1.2 MB',
  ]);
});
