import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fileOpens } from './support/file-opens.ts';

const source = path.join(import.meta.dirname, '../src');

/** Folders that handle records. `record/` itself imports no Node modules: see the import table. */
const FOLDERS = ['agent/wal', 'journal', 'recording', 'ledger', 'runs', 'server', 'cli/records', 'cli/run'];

/** These open other files than those of a record. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  'cli/records/export.ts': 'the export, where the user wants it',
  'cli/run/wanted-run.ts': 'the prompt, which may be a pipe on purpose',
  'recording/seal-key.ts': 'the key',
  'recording/trace/probe-strace.ts': 'settings of the kernel',
  'recording/trace/reconstruct-streams.ts': 'a trace that a caller of the library names',
  'recording/trace/trace-fifo.ts': 'a pipe on purpose, in the temporary folder of the attempt',
  'recording/trace/tracer-process.ts': '/proc',
  'runs/control/control-server.ts': 'the secret of the control socket, which must be new',
  'runs/data-home.ts': 'whether the data folder can be written',
  'runs/launch/engine-home.ts': 'the settings of engines',
  'runs/launch/engine-package.ts': 'the package of an engine, and its program',
  'runs/launch/injected-files.ts': 'files of the workspace, which must be new',
  'runs/launch/install-engine.ts': 'the folder of an engine',
  'runs/import/byte-source.ts': 'a log to import, which may be a pipe that is open already',
  'runs/request/check-request.ts': '/proc',
  'runs/service/tokens.ts': 'the tokens',
  'server/connection-limits.ts': '/proc',
  'server/log-file.ts': "the server's own log",
  'server/page-files.ts': 'the page',
};

const files = FOLDERS.flatMap((folder) =>
  fs
    .readdirSync(path.join(source, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(folder, file)),
)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ path: file, text: fs.readFileSync(path.join(source, file), 'utf8') }));

test('every file of a record is opened by src/files/regular-file.ts', () => {
  expect(files.length).toBeGreaterThan(200);
  const opens = files.filter(({ path: file }) => !(file in OTHER_FILES)).flatMap(fileOpens);
  expect(opens, 'use openRegularFile, openRegularHandle or readRegularFile').toEqual([]);
});

test('every exception opens a file', () => {
  const opening = files.filter((file) => fileOpens(file).length > 0).map(({ path: file }) => file);
  expect(Object.keys(OTHER_FILES).filter((file) => !opening.includes(file))).toEqual([]);
});

test('every form of opening a file is found', () => {
  const found = (text: string) => fileOpens({ path: 'a.ts', text }).length;
  expect(found("import fs from 'node:fs';\nfs.openSync(file, 'r');\nfs.promises.readFile(file);")).toBe(2);
  expect(found("import { open, readFileSync as read } from 'node:fs';\nawait open(file);\nread(file);")).toBe(2);
  expect(found("import * as fs from 'fs/promises';\nreturn fs.open(file);")).toBe(1);
  expect(found("import fs from 'node:fs';\nfs.readFileSync(fd);\nfs.writeFileSync(keptFd, piece);")).toBe(0);
  expect(found("import fs from 'node:fs';\nsession.open(file);\nthis.#open(file);\n// fs.openSync(file)")).toBe(0);
});
