import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineOf } from '../../../src/engines/index.ts';
import type { ParserContext, RaspData, RaspDraft, RaspType } from '../../../src/protocol/index.ts';
import { readFixtureLog } from '../../support/fixtures.ts';
import { checkDrafts, parserContext, readLogs } from '../read-log.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));

/** The events of a fixture's split logs. */
export function readFixture(engine: string, name: string, more: Partial<ParserContext> = {}): RaspDraft[] {
  const folder = path.join(fixtures, engine, name);
  const logs = { stdout: readFixtureLog(folder, 'stdout'), stderr: readFixtureLog(folder, 'stderr') };
  const drafts = readLogs(engineOf(engine).parser.create(parserContext(engine, more)), logs);
  checkDrafts(drafts);
  return drafts;
}

export function dataOf<T extends RaspType>(drafts: readonly RaspDraft[], type: T): RaspData<T>[] {
  return drafts.filter(({ event }) => event.type === type).map(({ data }) => data as RaspData<T>);
}

export function typesOf(drafts: readonly RaspDraft[]): string[] {
  return drafts.map(({ event }) => event.type);
}

export function phasesOf(drafts: readonly RaspDraft[]): string[] {
  return dataOf(drafts, 'lifecycle.run.status').map(({ phase }) => phase ?? '');
}
