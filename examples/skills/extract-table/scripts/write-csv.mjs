// Checks a table.json and writes the same table as table.csv beside it.
//
//   node write-csv.mjs <folder>/table.json

import fs from 'node:fs';
import path from 'node:path';

const [file] = process.argv.slice(2);
if (!file) fail('usage: node write-csv.mjs <folder>/table.json');
const { columns, rows, sources } = JSON.parse(fs.readFileSync(file, 'utf8'));

const FITS = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
};

const names = columns.map(({ name }) => name);
const problems = rows.flatMap((row, index) => {
  if (row.length !== columns.length) return [`row ${index + 1} has ${row.length} values for ${columns.length} columns`];
  return columns.flatMap(({ name, type }, at) => {
    if (row[at] === null || FITS[type](row[at])) return [];
    return [`row ${index + 1}: ${name} is ${JSON.stringify(row[at])}, which is not a ${type}`];
  });
});
if (new Set(names).size < names.length) problems.push('two columns have the same name');
if (sources.length !== rows.length) problems.push(`${sources.length} sources for ${rows.length} rows`);
if (problems.length > 0) fail(problems.join('\n'));

const csv = path.join(path.dirname(file), 'table.csv');
fs.writeFileSync(csv, [names, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join(''));
process.stdout.write(`${csv}: ${rows.length} rows\n`);

function cell(value) {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
