import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  COMPUTED_IMPORT,
  findViolations,
  type ImportRules,
  importSpecifiers,
  readImportTable,
  type SourceFile,
} from './support/imports.ts';

const root = path.join(import.meta.dirname, '..');
const rules: ImportRules = {
  table: readImportTable(fs.readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8')),
  onlyPackages: new Map([['protocol', ['zod']]]),
  withoutNode: new Set(['engines', 'conversation', 'client', 'record', 'studio']),
};
const sources = readSources();

test('folders of src, and the page, import only what the table in ARCHITECTURE.md allows', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(findViolations(sources, rules)).toEqual([]);
});

test('no file of src imports the page', () => {
  const importers = sources.filter(
    ({ path: file, text }) =>
      !file.startsWith('studio/') && importSpecifiers(text).some((name) => /\/studio\//.test(name)),
  );
  expect(importers.map(({ path: file }) => file)).toEqual([]);
});

test('no other folder of runs/ imports runs/service/', () => {
  const inside = sources.filter(({ path: file }) => /^runs\/(?!service\/)[a-z]+\//.test(file));
  expect(inside.length).toBeGreaterThan(50);
  const upwards = inside.filter(({ text }) => importSpecifiers(text).some((name) => /^(\.\.\/)+service\//.test(name)));
  expect(upwards.map(({ path: file }) => file)).toEqual([]);
});

test('no folder has more than 25 files', () => {
  const counts = new Map<string, number>();
  for (const { path: file } of sources) {
    counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
  }
  expect([...counts].filter(([, files]) => files > 25)).toEqual([]);
});

test('the table names existing folders, and has no cycles', () => {
  const reached = (folder: string, path: readonly string[] = []): void => {
    expect(path, 'a circle of imports').not.toContain(folder);
    expect([...rules.table.keys()]).toContain(folder);
    for (const imported of rules.table.get(folder) ?? []) reached(imported, [...path, folder]);
  };
  for (const folder of rules.table.keys()) reached(folder);
});

test('parsing and translating code takes time and randomness as arguments', () => {
  const ambient =
    /\b(Date\.now|performance\.|Math\.random|crypto\.|setTimeout|setInterval|setImmediate|process\.)|new Date\(\)/;
  const pure = sources.filter(({ path: file }) => /^(engines|conversation|record)\//.test(file));
  expect(pure.filter(({ text }) => ambient.test(text)).map(({ path: file }) => file)).toEqual([]);
});

test('every form of import is found', () => {
  const text = `
import fs from 'node:fs';
import type { A } from "../a/index.ts";
import {
  one,
  two,
} from './several-lines.ts';
import '../effects.ts';
export * from './all.ts';
export { type B } from '../b.ts';
const later = await import('../later.ts');
type C = import('../type.ts').C;
const old = require('./old.cjs');
const older = createRequire(import.meta.url)('./older.cjs');
`;
  expect(importSpecifiers(text).sort()).toEqual(
    [
      'node:fs',
      '../a/index.ts',
      './several-lines.ts',
      '../effects.ts',
      './all.ts',
      '../b.ts',
      '../later.ts',
      '../type.ts',
      './old.cjs',
      './older.cjs',
    ].sort(),
  );
  expect(importSpecifiers('await import(name)')).toEqual([COMPUTED_IMPORT]);
  expect(importSpecifiers(`await import(\`./engines/\${name}.ts\`)`)).toEqual([COMPUTED_IMPORT]);
  expect(importSpecifiers('const important = from(other); important();')).toEqual([]);
});

test('a forbidden import of any form is named', () => {
  expect(violations('journal/append.ts', "import { Terminal } from '../terminal/index.ts';")).toEqual([
    'journal/append.ts: journal may not import terminal',
  ]);
  expect(violations('journal/file/lock.ts', "import type { Run } from '../../runs/index.ts';")).toEqual([
    'journal/file/lock.ts: journal may not import runs',
  ]);
  expect(violations('terminal/pty.ts', "const runs = await import('../runs/index.ts');")).toHaveLength(1);
  expect(violations('terminal/pty.ts', "export * from '../index.ts';")).toHaveLength(1);
  expect(violations('terminal/pty.ts', "import data from '../../package.json';")).toHaveLength(1);
  expect(violations('terminal/pty.ts', 'await import(name);')).toHaveLength(1);
  expect(violations('unheard-of/file.ts', '')).toEqual([
    'unheard-of/file.ts: the folder unheard-of is not in the table',
  ]);
});

test('protocol imports only zod; engines and conversation import no Node modules', () => {
  expect(violations('protocol/run/run.ts', "import { z } from 'zod';")).toEqual([]);
  expect(violations('protocol/run/run.ts', "import fs from 'node:fs';")).toHaveLength(1);
  expect(violations('protocol/run/run.ts', "import yaml from 'yaml';")).toHaveLength(1);
  expect(violations('engines/text/parser.ts', "import fs from 'node:fs';")).toHaveLength(1);
  expect(violations('engines/text/parser.ts', "import { readFileSync } from 'fs';")).toHaveLength(1);
  expect(violations('conversation/translate.ts', "import { performance } from 'node:perf_hooks';")).toHaveLength(1);
});

test('a folder may import itself, the folders in its row, and packages; cli and entry files may import everything', () => {
  expect(violations('recording/trace/session.ts', "import { a } from '../../journal/index.ts';")).toEqual([]);
  expect(violations('recording/trace/session.ts', "import { a } from '../attempt-file.ts';")).toEqual([]);
  expect(violations('recording/zip-run.ts', "import yazl from 'yazl'; import fs from 'node:fs';")).toEqual([]);
  expect(violations('cli/main.ts', "await import('../runs/index.ts'); await import(name);")).toEqual([]);
  expect(violations('index.ts', "export * from './runs/index.ts';")).toEqual([]);
});

function violations(file: string, text: string): string[] {
  return findViolations([{ path: file, text }], rules);
}

function readSources(): SourceFile[] {
  return [...filesBelow('src'), ...filesBelow('studio')].map(({ path: file, text }) => ({
    // The page is next to src/, but the table applies to it too.
    path: file.replace(/^src\//, ''),
    text: file.startsWith('studio/') ? text.replaceAll(/(['"])((?:\.\.\/)+)src\//g, '$1$2') : text,
  }));
}

function filesBelow(folder: string): SourceFile[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[cm]?tsx?$/.test(file) && !file.endsWith('vite.config.ts'))
    .map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/')))
    .map((file) => ({ path: file, text: fs.readFileSync(path.join(root, file), 'utf8') }));
}
