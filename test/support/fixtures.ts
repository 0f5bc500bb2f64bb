import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type ExpectedRun, expectedRunSchema } from './expected-run.ts';

const fixturesFolder = fileURLToPath(new URL('../fixtures/', import.meta.url));

export interface Fixture {
  engine: string;
  name: string;
  folder: string;
  expected: ExpectedRun;
}

/** Recorded runs of real engines, by engine and name; folders without `expected.json` are other fixtures. */
export function listFixtures(): Fixture[] {
  return foldersIn(fixturesFolder).flatMap((engine) =>
    foldersIn(path.join(fixturesFolder, engine))
      .map((name) => ({ engine, name, folder: path.join(fixturesFolder, engine, name) }))
      .filter(({ folder }) => fs.existsSync(expectedFile(folder)))
      .map((fixture) => ({
        ...fixture,
        expected: readExpected(fixture.folder),
      })),
  );
}

/** Null if the case was not run that way: killed runs have no pty log. */
export function readFixtureLog(folder: string, stream: 'stdout' | 'stderr' | 'pty'): Buffer | null {
  const file = path.join(folder, `${stream}.log`);
  return fs.existsSync(file) ? fs.readFileSync(file) : null;
}

/** `split` is the run with separate stdout and stderr, `pty` the one on a single terminal. */
export function exitOf(folder: string, which: 'split' | 'pty'): number {
  const text = fs.readFileSync(path.join(folder, which === 'split' ? 'exit' : 'exit.pty'), 'utf8').trim();
  if (!/^\d+$/.test(text)) throw new Error(`${folder} has no exit code but ${JSON.stringify(text)}`);
  return Number(text);
}

function readExpected(folder: string): ExpectedRun {
  const read = expectedRunSchema.safeParse(JSON.parse(fs.readFileSync(expectedFile(folder), 'utf8')));
  if (read.success) return read.data;
  throw new Error(
    `${expectedFile(folder)} does not follow test/support/expected-run.ts:\n${z.prettifyError(read.error)}`,
  );
}

function expectedFile(folder: string): string {
  return path.join(folder, 'expected.json');
}

function foldersIn(folder: string): string[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
