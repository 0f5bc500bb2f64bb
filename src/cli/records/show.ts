import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, readRegularFile } from '../../files/index.ts';
import {
  type AttemptResult,
  attemptFileNames,
  type EnvironmentKind,
  hasEnded,
  isWaiting,
  type Meta,
  mentionOf,
  metaSchema,
  type RunRecord,
  readLeniently,
  type Usage,
} from '../../protocol/index.ts';
import { usageFacts } from '../../record/figures.ts';
import { firstRequest } from '../../record/index.ts';
import { findRun, nextAttempt, type RunFolder } from '../../recording/index.ts';
import { isLost, openJournal, readFolded, readLastResult } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { fitLine } from '../output/fit-line.ts';
import { commandLine, count, formatBytes, formatDuration, formatTime, printable } from '../output/format.ts';
import { newerNoticeLine } from '../output/newer-notice.ts';
import { notCoveredText } from '../output/not-covered-text.ts';
import { paint } from '../output/paint.ts';
import { needsServer } from './needs-server.ts';
import { violationText } from './result.ts';
import { describeWork } from './run-title.ts';

/** One attempt, as far as it is recorded. */
interface Attempt {
  attempt: number;
  meta: Meta | null;
  missing: string[];
  /** Bytes on disk, for an attempt without a meta file. */
  bytes: Record<string, number>;
}

export async function showRun(selector: string, options: CommonOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const record = await readFolded(folder, openJournal(folder, context.config));
  const numbers = Array.from({ length: nextAttempt(folder) - 1 }, (_, index) => index + 1);
  const attempts = numbers
    .filter((number) => !hasOnlySeal(folder, number))
    .map((number) => readAttempt(folder, number));
  const lost = isLost(record, folder);
  if (options.json) process.stdout.write(`${JSON.stringify({ run: record, run_dir: folder.path, lost, attempts })}\n`);
  else {
    const waitsFor = needsServer(record, folder, context);
    process.stdout.write(describe({ folder, record, attempts, lost, waitsFor }) + newerNoticeLine(record));
  }
}

/** The closing seal of a run that ended before this attempt began. */
function hasOnlySeal({ audit }: RunFolder, attempt: number): boolean {
  const { meta, seal } = attemptFileNames(attempt);
  return !isRegularFile(path.join(audit, meta)) && isRegularFile(path.join(audit, seal));
}

function readAttempt(folder: RunFolder, attempt: number): Attempt {
  const names = attemptFileNames(attempt);
  const at = (name: string) => path.join(folder.audit, name);
  const absent = [names.meta, names.fsDiff, names.seal].filter((name) => !isRegularFile(at(name)));
  const meta = absent.includes(names.meta) ? null : readMeta(at(names.meta));
  // Without a snapshot, as at level minimal, there is no diff.
  const missing = absent.filter((name) => name !== names.fsDiff || meta?.filesystem !== null);
  const streams = ['stdout', 'stderr', 'pty'] as const;
  const sizes = streams.map(
    (stream) => [stream, fs.statSync(at(names[stream]), { throwIfNoEntry: false })?.size] as const,
  );
  const bytes = Object.fromEntries(sizes.filter(([, size]) => size !== undefined)) as Record<string, number>;
  return { attempt, meta, missing, bytes };
}

/** Also accepts the format of a newer version of tacho. */
function readMeta(file: string): Meta {
  const read = readLeniently(metaSchema, JSON.parse(readRegularFile(file)));
  if (!read.success) throw read.error;
  return read.data;
}

interface Shown {
  folder: RunFolder;
  record: RunRecord;
  attempts: readonly Attempt[];
  lost: boolean;
  waitsFor: ReturnType<typeof needsServer>;
}

const WAITS = {
  start: 'Waiting in the queue, which a server works off',
  repair: 'Waiting for its repair turn, which a server carries out',
} as const;

function describe({ folder, record, attempts, lost, waitsFor }: Shown): string {
  const lines = [
    `${paint.bold(record.run_id)}  ${statusText(record, lost)}`,
    ...(firstRequest(record) === null ? [] : [`  prompt    ${describeWork(record)}`]),
    `  command   ${commandLine(record.command)}`,
    `  cwd       ${printable(record.cwd)}`,
    ...(record.workspace_root === record.cwd ? [] : [`  workspace ${printable(record.workspace_root)}`]),
    ...(record.source ? [`  source    ${paint.yellow(SOURCES[record.source.kind])}`] : []),
    `  folder    ${folder.path}`,
    `  started   ${formatTime(record.created_at)}`,
    ...skillLines(folder, record),
    ...(record.usage && attempts.length > 1 ? [`  usage     ${usageText(record.usage)}, all attempts`] : []),
  ];
  for (const attempt of attempts) lines.push('', ...describeAttempt(attempt, record));
  if (record.status === 'waiting_user') lines.push('', ...questionLines(record));
  if (waitsFor !== null) {
    lines.push('', `${WAITS[waitsFor]}: tacho start. To end it: tacho cancel ${record.handle}`);
  }
  if (lost) {
    lines.push(
      '',
      paint.yellow('The recorder died in the middle of this run. Its files are complete up to their last byte.'),
      `Complete the record with: tacho recover ${record.handle}  (tacho run and tacho runs do it too)`,
    );
  }
  return lines.map((line) => `${fitLine(line, process.stdout, INDENT)}\n`).join('');
}

/** How to answer, and the choices there are. */
function questionLines({ handle, question }: RunRecord): string[] {
  const { questions = [] } = question ?? {};
  if (questions.length === 0) return [`Waiting for an answer: tacho resume ${handle} "…"`];
  const asked = questions.flatMap(({ id, text, choices, allow_other }) => [
    `  ${printable(questions.length > 1 ? `${id}: ${text}` : text)}`,
    ...choices.map(({ value, description }, at) => {
      return `    ${at + 1}. ${printable(description === null ? value : `${value} – ${description}`)}`;
    }),
    ...(allow_other && choices.length > 0 ? ['    or any text'] : []),
  ]);
  const how =
    questions.length > 1
      ? questions.map(({ id }) => `--answer ${printable(id)}=…`).join(' ')
      : questions[0]!.choices.length > 0
        ? '1'
        : '"…"';
  return [`Waiting for an answer: tacho resume ${handle} ${how}`, ...asked];
}

/** The skill of the run, and what its result came to. */
function skillLines(folder: RunFolder, record: RunRecord): string[] {
  const { packages, skipped_skills: skipped = [] } = typeof record.request === 'object' ? record.request : {};
  const leftOut = skipped.map(({ skill, message }) => `  left out  ${printable(`${skill}: ${message}`)}`);
  const main = packages?.find(({ role }) => role === 'main');
  if (!main) return leftOut;
  const skill = [mentionOf(main), main.version, `package ${main.sha256.slice(0, 12)}`].filter(Boolean).join(' · ');
  const result = readLastResult(folder);
  return [`  skill     ${printable(skill)}`, ...(result ? [`  result    ${resultText(result)}`] : []), ...leftOut];
}

const VALIDITY = {
  valid: 'valid',
  invalid: 'invalid',
  unchecked: 'not checked: the skill has no output schema',
} as const;

function resultText({ validity, artifacts, repair }: AttemptResult): string {
  const { state, violations } = validity;
  const [first] = violations.map(violationText);
  const more = violations.length > 1 ? ` and ${violations.length - 1} more` : '';
  const facts = [
    first === undefined ? VALIDITY[state] : `${VALIDITY[state]}: ${first}${more}`,
    ...(artifacts.length === 0 ? [] : [count(artifacts.length, 'artifact')]),
    ...(repair === 'done' ? ['after a repair turn'] : []),
    ...(repair === 'requested' ? ['a repair turn follows'] : []),
  ];
  return facts.join(' · ');
}

/** Columns before the values. */
const INDENT = 12;

function statusText(record: RunRecord, lost: boolean): string {
  if (lost) return paint.yellow('lost (its recorder died)');
  if (isWaiting(record)) return paint.yellow(record.status);
  if (record.status === 'succeeded') return paint.green(record.status);
  return hasEnded(record) ? paint.red(record.status) : record.status;
}

const ENVIRONMENTS: Record<EnvironmentKind, string> = {
  inherited: 'inherited: variables and home of the caller',
  isolated: 'isolated: managed home, listed variables',
};

const RECOVERED = 'recovered: its recorder died; tacho recover completed and sealed it';

/** What the seal of a run that tacho did not record itself proves. */
const SOURCES = {
  watched: 'watched: read from the engine’s session file, not recorded by tacho; the seal covers what was read',
} as const;

function describeAttempt({ attempt, meta, missing, bytes }: Attempt, record: RunRecord): string[] {
  if (!meta) {
    const running = record.live !== null && record.attempt === attempt;
    const recorded = Object.entries(bytes).map(([stream, size]) => `${stream} ${formatBytes(size)}`);
    return [
      `attempt ${attempt}  ${running ? 'not finished' : 'cut off'}`,
      `  recorded  ${recorded.join(' · ') || 'nothing'}`,
      `  missing   ${missing.join(', ')}`,
    ];
  }
  const { completion, capture, filesystem, parse, trace } = meta;
  const exit = meta.signal ? `killed by ${meta.signal}` : `exit ${meta.exit_code ?? '–'}`;
  const lines = [
    `attempt ${attempt}  ${completion.state} · ${completion.reason_code} · ${exit}${meta.duration_ms === null ? '' : ` · ${formatDuration(meta.duration_ms)}`}`,
    `  capture   ${capture.mode} (${capture.reason}), level ${capture.level}`,
    `  output    ${['stdout', 'stderr', 'pty']
      .filter((key) => meta.files[key])
      .map((key) => `${key} ${formatBytes(meta.files[key]!.bytes)}`)
      .join(' · ')}`,
    ...(meta.environment ? [`  env       ${ENVIRONMENTS[meta.environment]}`] : []),
    ...(record.recovered?.includes(attempt) ? [`  seal      ${paint.yellow(RECOVERED)}`] : []),
  ];
  if (parse)
    lines.push(
      `  events    ${parse.events} from output, ${(parse.coverage * 100).toFixed(parse.coverage === 1 ? 0 : 2)} % of bytes covered`,
    );
  if (meta.session_id) lines.push(`  session   ${[meta.session_id, meta.model].filter(Boolean).join(' · ')}`);
  if (meta.usage) lines.push(`  usage     ${usageText(meta.usage)}`);
  if (trace)
    lines.push(
      `  trace     ${count(trace.writes, 'write')} by ${count(trace.processes, 'process', 'processes')}, ${(trace.coverage * 100).toFixed(1)} % of bytes`,
    );
  if (filesystem) {
    lines.push(
      `  paths     ${filesystem.created} created, ${filesystem.modified} modified, ${filesystem.deleted} deleted`,
    );
    for (const group of filesystem.not_covered ?? []) lines.push(`            ${notCoveredText(group)}`);
  }
  if (meta.terminal && meta.terminal.left_behind > 0) {
    lines.push(`  processes ${meta.terminal.left_behind} were left behind and ended`);
  }
  if (meta.error)
    lines.push(`  ${paint.red('error')}     ${meta.error.message} [${meta.error.code}] in step ${meta.failed_step}`);
  if (missing.length > 0) lines.push(`  missing   ${missing.join(', ')}`);
  return lines;
}

function usageText(usage: Usage): string {
  return usageFacts(usage).filter(Boolean).join(' · ');
}
