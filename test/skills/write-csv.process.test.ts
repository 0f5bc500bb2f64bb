import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../support/tacho.ts';
import { temporaryFolder, writeFiles } from './skill-folder.ts';

const COLUMNS = [
  { name: 'title', type: 'text' },
  { name: 'price', type: 'number' },
  { name: 'day', type: 'date' },
];

function writeCsv(table: object) {
  const folder = temporaryFolder();
  writeFiles(folder, { 'table.json': JSON.stringify(table) });
  const script = path.join(projectRoot, 'examples/skills/extract-table/scripts/write-csv.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, path.join(folder, 'table.json')], {
    encoding: 'utf8',
  });
  const csv = path.join(folder, 'table.csv');
  return { status, stderr, csv: fs.existsSync(csv) ? fs.readFileSync(csv, 'utf8') : null };
}

test('the script of extract-table writes a table with quotes where they are needed', () => {
  const rows = [
    ['a "b", c', -1.5, '2026-01-31'],
    ['two\nlines', null, null],
  ];
  const { csv } = writeCsv({ columns: COLUMNS, rows, sources: [{}, {}] });
  expect(csv).toBe('title,price,day\n"a ""b"", c",-1.5,2026-01-31\n"two\nlines",,\n');
});

test('the script of extract-table writes nothing if a value does not fit its column', () => {
  const rows = [['a', '1.50', '31.01.2026'], ['b']];
  expect(writeCsv({ columns: COLUMNS, rows, sources: [{}] })).toEqual({
    status: 1,
    stderr:
      'row 1: price is "1.50", which is not a number\nrow 1: day is "31.01.2026", which is not a date\n' +
      'row 2 has 1 values for 3 columns\n1 sources for 2 rows\n',
    csv: null,
  });
});
