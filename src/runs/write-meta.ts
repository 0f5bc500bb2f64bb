import fs from 'node:fs';
import path from 'node:path';
import { attemptFileNames, type Completion, DIAGNOSTICS_FILE, EVENTS_FILE, type Meta } from '../protocol/index.ts';
import { type RunFolder, timestamp, writeWhole } from '../recording/index.ts';
import type { AttemptFacts } from './attempt-facts.ts';
import type { AttemptLog } from './attempt-log.ts';

export interface MetaInput {
  folder: RunFolder;
  attempt: number;
  facts: AttemptFacts;
  completion: Completion;
  log: AttemptLog;
  version: string;
}

/** Writes `meta.N.json`, once. */
export function writeMeta(input: MetaInput): Meta {
  const { folder, attempt, facts, completion } = input;
  const meta: Meta = {
    format: 'tacho-meta/1',
    run_id: folder.runId,
    run_dir: folder.path,
    attempt,
    engine: facts.engine,
    command: facts.command[0] ?? '',
    args: facts.command.slice(1),
    cwd: facts.cwd,
    workspace_root: facts.cwd,
    env_names: [...facts.envNames],
    injected: [],
    started_at: facts.startedAt === null ? null : timestamp(facts.startedAt),
    ended_at: timestamp(facts.endedAt),
    duration_ms: facts.startedAt === null ? null : Math.round((facts.endedAt - facts.startedAt) / 1000),
    success: completion.state === 'completed',
    exit_code: facts.exit_code,
    signal: facts.signal,
    error: facts.error ? { code: facts.error.code, message: facts.error.message } : null,
    failed_step: facts.failedStep,
    capture: facts.capture,
    terminal: facts.terminal,
    trace: facts.trace,
    files: fileSizes(folder, attempt),
    completion,
    filesystem: facts.diff && {
      entries: facts.entries,
      created: facts.diff.created.length,
      modified: facts.diff.modified.length,
      deleted: facts.diff.deleted.length,
      unreadable: facts.diff.unreadable.length,
    },
    parse: parseMetrics(input.log, facts.outputBytes),
    usage: null,
    versions: {
      tacho: input.version,
      parser: `${facts.engine}/${facts.parserVersion}`,
      engine: null,
      node: process.version,
    },
  };
  const file = path.join(folder.audit, attemptFileNames(attempt).meta);
  writeWhole(file, `${JSON.stringify(meta, null, 2)}\n`, { replace: false });
  return meta;
}

function fileSizes(folder: RunFolder, attempt: number): Meta['files'] {
  const { meta: _meta, seal: _seal, ...names } = attemptFileNames(attempt);
  const files: Meta['files'] = {};
  for (const [key, name] of [...Object.entries(names), ['events', EVENTS_FILE], ['diagnostics', DIAGNOSTICS_FILE]]) {
    const stat = fs.statSync(path.join(folder.audit, name!), { throwIfNoEntry: false });
    if (stat)
      files[key!.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = {
        path: `.audit/${name}`,
        bytes: stat.size,
      };
  }
  return files;
}

function parseMetrics(log: AttemptLog, outputBytes: number): Meta['parse'] {
  const { counts, coverage } = log;
  return {
    events: counts.parserBorn,
    structured_share: counts.parserBorn === 0 ? 0 : counts.structured / counts.parserBorn,
    fallbacks: 0,
    unknown: 0,
    average_confidence: counts.parserBorn === 0 ? null : counts.confidenceSum / counts.parserBorn,
    coverage: outputBytes === 0 ? 1 : Math.min(1, coverage.bytes() / outputBytes),
    bytes: outputBytes,
  };
}
