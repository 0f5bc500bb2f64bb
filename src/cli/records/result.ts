import fs from 'node:fs';
import path from 'node:path';
import { readRegularBytes, writeWhole } from '../../files/index.ts';
import {
  type AttemptResult,
  BLOBS_FOLDER,
  isSealed,
  type RunRecord,
  statusPhrase,
  TachoError,
} from '../../protocol/index.ts';
import { findRun, type RunFolder } from '../../recording/index.ts';
import { openJournal, readFolded, readLastResult } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { count, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';

export interface ResultOptions extends CommonOptions {
  artifacts?: string;
}

/** `tacho result`: the payload on stdout, everything about it on stderr. */
export async function printResult(selector: string, options: ResultOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const record = await readFolded(folder, openJournal(folder, context.config));
  const result = requireResult(folder, record);
  const copied =
    options.artifacts === undefined ? null : copyArtifacts(folder, result, path.resolve(options.artifacts));
  if (record.status !== 'succeeded') process.exitCode = 1;
  if (options.json) {
    const { format: _, ...shown } = result;
    process.stdout.write(`${JSON.stringify({ status: record.status, ...shown, ...(copied ? { copied } : {}) })}\n`);
    return;
  }
  const { payload, validity, artifacts } = result;
  if (payload !== null)
    process.stdout.write(`${typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2)}\n`);
  const notes = [
    ...(record.status === 'succeeded'
      ? []
      : [paint.red(`run ${record.handle} ${statusPhrase(record)}: ${result.completion.reason_code}`)]),
    ...validity.violations.map((violation) => paint.red(`  ${violationText(violation)}`)),
    ...(copied ? [`copied ${count(copied.length, 'artifact')} to ${printable(options.artifacts!)}`] : []),
    ...(!copied && artifacts.length > 0
      ? [paint.dim(`${count(artifacts.length, 'artifact')}; copy with --artifacts <folder>`)]
      : []),
  ];
  process.stderr.write(notes.map((note) => `${note}\n`).join(''));
}

export function violationText({ path: pointer, message }: AttemptResult['validity']['violations'][number]): string {
  return printable(pointer === '' ? message : `${pointer} ${message}`);
}

function requireResult(folder: RunFolder, record: RunRecord): AttemptResult {
  if (!isSealed(record)) {
    throw new TachoError('RUN_ACTIVE', `run ${record.handle} ${statusPhrase(record)}; it has no result yet`, {
      facts: { status: record.status },
      fix: `Wait for its end: tacho attach ${record.handle}`,
    });
  }
  const result = readLastResult(folder);
  if (result) return result;
  throw new TachoError(
    'NOT_FOUND',
    `run ${record.handle} has no result: it was started without a skill, or never began`,
    {
      fix: `Its last message is part of: tacho show ${record.handle} --chat`,
    },
  );
}

/** Copies all artifacts, or none if one of them cannot be placed. */
function copyArtifacts(folder: RunFolder, { artifacts }: AttemptResult, to: string): string[] {
  const targets = artifacts.map(({ path: name, sha256, bytes }) => {
    const target = path.join(to, name);
    // The record may be one of another installation.
    if (name.split('/').some((part) => part === '' || part === '.' || part === '..') || name.includes('\0')) {
      throw new TachoError('EXPORT_FAILED', `the artifact ${JSON.stringify(name)} leads out of the folder`, {
        fix: 'Do not trust this record: tacho verify',
      });
    }
    if (fs.lstatSync(target, { throwIfNoEntry: false })) {
      throw new TachoError('EXPORT_FAILED', `${target} exists already`, {
        facts: { path: target },
        fix: 'Choose an empty folder.',
      });
    }
    return { target, blob: path.join(folder.audit, BLOBS_FOLDER, sha256), bytes };
  });
  for (const { target, blob, bytes } of targets) {
    const content = readRegularBytes(blob, { maxBytes: bytes });
    fs.mkdirSync(path.dirname(target), { recursive: true });
    writeWhole(target, content, { mode: 0o644 });
  }
  return targets.map(({ target }) => target);
}
