import fs from 'node:fs';
import path from 'node:path';
import { readingOf } from '../../engines/index.ts';
import {
  attemptFileNames,
  type Capture,
  type Completion,
  DIAGNOSTICS_FILE,
  EVENTS_FILE,
  FOLD_VERSION,
  type Meta,
} from '../../protocol/index.ts';
import { digestOf, type RunFolder, timestamp, writeWhole } from '../../recording/index.ts';
import type { EndEvidence } from '../completion/end-evidence.ts';
import type { AttemptFacts } from './attempt-facts.ts';
import type { AttemptLog } from './attempt-log.ts';
import { recordedError } from './drafts.ts';

export interface MetaInput {
  folder: RunFolder;
  attempt: number;
  facts: AttemptFacts;
  completion: Completion;
  log: AttemptLog;
  version: string;
}

/** Writes `meta.N.json` once. Recovery writes it again, since a meta without a seal may be forged. */
export function writeMeta(input: MetaInput): void {
  const { folder, attempt, facts, completion } = input;
  const evidence = input.log.endEvidence;
  const reading = readingOf(facts.profile);
  const meta: Meta = {
    format: 'tacho-meta/1',
    run_id: folder.runId,
    run_dir: folder.path,
    attempt,
    engine: facts.profile.name,
    ...(reading ? { reading } : {}),
    ...(facts.profile.terminalBy === 'engine' ? agentFacts(facts, evidence) : {}),
    command: facts.command[0] ?? '',
    args: facts.command.slice(1),
    cwd: facts.cwd,
    workspace_root: facts.cwd,
    ...(facts.environment ? { environment: facts.environment } : {}),
    env_names: [...facts.envNames],
    injected: [...facts.injected],
    ...(facts.skills.length === 0 ? {} : { skills: [...facts.skills] }),
    started_at: facts.startedAt === null ? null : timestamp(facts.startedAt),
    ended_at: timestamp(facts.endedAt),
    duration_ms: facts.startedAt === null ? null : Math.round((facts.endedAt - facts.startedAt) / 1000),
    success: completion.state === 'completed',
    exit_code: facts.exit_code,
    signal: facts.signal,
    error: facts.error && recordedError(facts.error),
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
      ...(facts.diff.not_covered ? { not_covered: facts.diff.not_covered } : {}),
    },
    parse: parseMetrics(input.log, facts),
    usage: evidence.usage,
    ...(facts.settings ? { settings: [...facts.settings] } : {}),
    versions: {
      tacho: input.version,
      parser: `${facts.profile.parser.name}/${facts.profile.parser.version}`,
      engine: facts.engineVersion,
      node: process.version,
      fold: FOLD_VERSION,
    },
  };
  const file = path.join(folder.audit, attemptFileNames(attempt).meta);
  const content = `${JSON.stringify(meta, null, 2)}\n`;
  writeWhole(file, content, { replace: facts.supervisorLost });
  facts.digests?.set(attemptFileNames(attempt).meta, digestOf(content));
}

function agentFacts({ mode }: AttemptFacts, { sessionId, model }: EndEvidence): Partial<Meta> {
  return { mode, session_id: sessionId, model };
}

/** A separately recorded merged log repeats the other streams, so its bytes do not count. */
export function coveredBytes({ coverage }: AttemptLog, { merged_apart }: Capture): number {
  return merged_apart ? coverage.bytes('stdout', 'stderr') : coverage.bytes();
}

function fileSizes(folder: RunFolder, attempt: number): Meta['files'] {
  const { meta: _meta, seal: _seal, ...names } = attemptFileNames(attempt);
  const files: Meta['files'] = {};
  for (const [key, name] of [...Object.entries(names), ['events', EVENTS_FILE], ['diagnostics', DIAGNOSTICS_FILE]]) {
    const stat = fs.lstatSync(path.join(folder.audit, name!), { throwIfNoEntry: false });
    if (stat?.isFile())
      files[key!.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = {
        path: `.audit/${name}`,
        bytes: stat.size,
      };
  }
  return files;
}

function parseMetrics(log: AttemptLog, { outputBytes, capture }: AttemptFacts): Meta['parse'] {
  const covered = coveredBytes(log, capture);
  const { counts } = log;
  return {
    events: counts.parserBorn,
    structured_share: counts.parserBorn === 0 ? 0 : counts.structured / counts.parserBorn,
    fallbacks: log.endEvidence.fallbacks,
    unknown: log.endEvidence.unknown,
    average_confidence: counts.parserBorn === 0 ? null : counts.confidenceSum / counts.parserBorn,
    coverage: outputBytes === 0 ? 1 : Math.min(1, covered / outputBytes),
    bytes: outputBytes,
  };
}
