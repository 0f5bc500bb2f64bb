import fs from 'node:fs';
import path from 'node:path';
import { DEFAULTS } from '../../../src/config/index.ts';
import { findEngine } from '../../../src/engines/index.ts';
import { type Meta, metaSchema, type RunRecord } from '../../../src/protocol/index.ts';
import { runFolderAt } from '../../../src/recording/index.ts';
import type { RunContext } from '../../../src/runs/context.ts';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import { type ImportOutcome, importRun } from '../../../src/runs/import/import-run.ts';
import type { Exit } from '../../../src/runs/import/import-source.ts';
import { openLog } from '../../../src/runs/import/open-import.ts';
import { readEvents, temporaryFolder } from '../../support/tacho.ts';

export function newContext(): RunContext {
  return { home: locateDataHome({}, temporaryFolder()), config: DEFAULTS, env: {}, version: '0' };
}

export function logFile(content: string | Buffer, name = 'some.log'): string {
  const file = path.join(temporaryFolder(), name);
  fs.writeFileSync(file, content);
  return file;
}

interface Given {
  engine?: string;
  exit?: Exit;
  timing?: string;
  stdin?: string;
}

/** Imports a log whose format is found by its content. */
export async function importFile(file: string, given: Given = {}, context = newContext()): Promise<ImportOutcome> {
  const { engine, exit = null, timing = null, stdin = null } = given;
  const opened = openLog(file, engine === undefined ? null : findEngine(engine), { timing, stdin });
  return importRun([{ ...opened, exit, mode: 'auto', requireMarker: false, files: [file] }], context);
}

/** What was written for an imported run. */
export function recorded({ runDir }: ImportOutcome, attempt = 1) {
  const { audit } = runFolderAt(runDir);
  const read = (name: string) => fs.readFileSync(path.join(audit, name));
  return {
    audit,
    read,
    meta: metaSchema.parse(JSON.parse(read(`meta.${attempt}.json`).toString())) as Meta,
    record: JSON.parse(fs.readFileSync(path.join(runDir, '.run.json'), 'utf8')) as RunRecord,
    events: readEvents(path.join(audit, 'events.jsonl')),
  };
}
