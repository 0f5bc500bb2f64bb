import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CompletionState, DiagnosticCode, RunMode, ToolKind } from '../../src/protocol/index.ts';

const fixturesFolder = fileURLToPath(new URL('../fixtures/', import.meta.url));

/** What a reader of the logs says a parser has to find; written before there was a parser. */
export interface ExpectedRun {
  /** As the engine printed it; null if it never did. */
  session_id: string | null;
  /** Whole assistant texts in order, those before a tool call too. */
  final_messages: string[];
  reasoning: string[];
  tools: { name: string; kind: ToolKind; state: 'completed' | 'failed' }[];
  /** The engine's own last totals. */
  usage: { input_tokens: number; output_tokens: number } | null;
  /** In order of first appearance, each code once. */
  errors: DiagnosticCode[];
  /** Warnings of the parser, likewise; none unless told. */
  warnings?: DiagnosticCode[];
  completion: Record<RunMode, { state: CompletionState; reason_code: string }>;
  /** Share of the bytes that belong to a unit. */
  coverage: number;
  /** The pty log is another run of the same case, so its session is another one. */
  pty?: { session_id: string | null };
}

export interface Fixture {
  engine: string;
  name: string;
  folder: string;
  expected: ExpectedRun;
}

/** Recorded runs of real engines, by engine and name; other fixtures stand in folders without `expected.json`. */
export function listFixtures(): Fixture[] {
  return foldersIn(fixturesFolder).flatMap((engine) =>
    foldersIn(path.join(fixturesFolder, engine))
      .map((name) => ({ engine, name, folder: path.join(fixturesFolder, engine, name) }))
      .filter(({ folder }) => fs.existsSync(expectedFile(folder)))
      .map((fixture) => ({
        ...fixture,
        expected: JSON.parse(fs.readFileSync(expectedFile(fixture.folder), 'utf8')) as ExpectedRun,
      })),
  );
}

/** Null where the case was not run that way: killed runs have no pty log. */
export function readFixtureLog(folder: string, stream: 'stdout' | 'stderr' | 'pty'): Buffer | null {
  const file = path.join(folder, `${stream}.log`);
  return fs.existsSync(file) ? fs.readFileSync(file) : null;
}

/** `split` is the run with stdout and stderr apart, `pty` the one on a single terminal. */
export function exitOf(folder: string, which: 'split' | 'pty'): number {
  const text = fs.readFileSync(path.join(folder, which === 'split' ? 'exit' : 'exit.pty'), 'utf8').trim();
  if (!/^\d+$/.test(text)) throw new Error(`${folder} has no exit code but ${JSON.stringify(text)}`);
  return Number(text);
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
