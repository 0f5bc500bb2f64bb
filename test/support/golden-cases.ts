import fs from 'node:fs';
import path from 'node:path';
import type { EndedByUs } from '../../src/protocol/index.ts';
import { exitOf, listFixtures } from './fixtures.ts';
import { updatingFixtures } from './live-fixture.ts';
import { projectRoot } from './tacho.ts';

export { updatingFixtures };

/** One attempt of a fixture, with how it ended. */
export interface GoldenCase {
  engine: string;
  name: string;
  folder: string;
  attempt: number;
  /** Suffix of the file names of a later attempt. */
  suffix: string;
  stdout: Buffer;
  stderr: Buffer;
  exit_code: number | null;
  signal: string | null;
  /** Why tacho ended it. */
  ended_by: EndedByUs | null;
}

/** Captures, and records of our own runs of the real CLIs. */
export function listGoldenCases(): GoldenCase[] {
  const captures = listFixtures().map(({ engine, name, folder }) => ({
    ...logsOf(folder, ''),
    engine,
    name,
    folder,
    attempt: 1,
    suffix: '',
    exit_code: exitOf(folder, 'split'),
    signal: null,
    ended_by: null,
  }));
  return [...captures, ...listLiveCases()];
}

/** What `npm run test:engines` recorded. */
export function listLiveCases(): GoldenCase[] {
  const root = path.join(projectRoot, 'test/fixtures');
  return fs.readdirSync(root).flatMap((engine) =>
    fs
      .readdirSync(path.join(root, engine))
      .filter((name) => name.startsWith('live-'))
      .flatMap((name) => attemptsOf(engine, name, path.join(root, engine, name))),
  );
}

function attemptsOf(engine: string, name: string, folder: string): GoldenCase[] {
  return ['', '.2'].flatMap((suffix, index) => {
    const file = path.join(folder, `exit${suffix}.json`);
    if (!fs.existsSync(file)) return [];
    const exit = JSON.parse(fs.readFileSync(file, 'utf8')) as Pick<GoldenCase, 'exit_code' | 'signal' | 'ended_by'>;
    const attempt = index + 1;
    const shown = attempt === 1 ? name : `${name} attempt ${attempt}`;
    return [{ ...logsOf(folder, suffix), ...exit, engine, name: shown, folder, attempt, suffix }];
  });
}

function logsOf(folder: string, suffix: string): { stdout: Buffer; stderr: Buffer } {
  const read = (stream: string) => fs.readFileSync(path.join(folder, `${stream}${suffix}.log`));
  return { stdout: read('stdout'), stderr: read('stderr') };
}
