import { EXIT_CODES, type FsEntry, type RunRecord, TachoError } from '../../protocol/index.ts';
import { mergeChanges } from '../../record/index.ts';
import {
  findRepository,
  findRun,
  type PatchPart,
  planPatch,
  type RunFolder,
  writePatch,
} from '../../recording/index.ts';
import { openJournal, whenSealed } from '../../runs/index.ts';
import type { DiffOptions } from '../commands/diff.ts';
import { openContext } from '../context.ts';
import { count, formatBytes } from '../output/format.ts';
import { notCoveredText } from '../output/not-covered-text.ts';
import { paint } from '../output/paint.ts';
import { writeOut } from '../output/write-out.ts';
import { attemptsWithFiles, blobReader, readDiff } from './changed-files.ts';
import { describeInexpressible, jsonOf, nameOf, statOf } from './diff-views.ts';
import { showPatch } from './show-patch.ts';

/** Maximum number of files with missing content to list by name. */
const MAX_NAMED = 20;

export async function printDiff(selector: string, options: DiffOptions): Promise<void> {
  const { home, config } = openContext(options);
  const folder = findRun(home.runs, selector);
  const record = await whenSealed(folder, openJournal(folder, config), { recovers: false });
  const attempts = attemptsWithFiles(folder, record, options.attempt);
  const diffs = attempts.map((attempt) => readDiff(folder, attempt));
  const plan = planPatch(mergeChanges(diffs));
  const notCovered = diffs.at(-1)?.not_covered ?? [];
  const prefix = options.relative ? '' : prefixOf(folder, record);
  if (options.nameOnly && !options.json) {
    for (const { path } of plan.steps) await writeOut(process.stdout, `${nameOf(prefix + path)}\n`);
    return;
  }
  const printsPatch = !options.json && !options.stat;
  // Encoding it would take long for nothing: a terminal does not show it.
  const binaryContent = printsPatch && !process.stdout.isTTY ? 'write' : 'omit';
  const readBlob = blobReader(folder);
  const parts: PatchPart[] = [];
  for (const step of plan.steps) {
    const part = writePatch(step, { readBlob, prefix, binaryContent });
    if (printsPatch && part.patch !== null) await showPatch(part.patch);
    // Later steps need only the counts, and the bytes of all files may not fit in memory.
    parts.push({ ...part, patch: null });
  }
  const incomplete = incompleteError(parts, prefix, record);
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ run_id: folder.runId, attempts, ...jsonOf(parts, plan, prefix), not_covered: notCovered })}\n`,
    );
    if (incomplete) process.exitCode = EXIT_CODES[incomplete.code];
    return;
  }
  if (options.stat) process.stdout.write(statOf(parts, prefix));
  process.stderr.write(describeInexpressible(plan.inexpressible, prefix));
  // Paths excluded by a setting were the user's own choice, and folders of tacho are not part of the work.
  for (const group of notCovered.filter(({ by }) => by !== 'recording.ignore' && by !== 'tacho')) {
    process.stderr.write(`${paint.yellow('tacho:')} ${notCoveredText(group)}\n`);
  }
  if (incomplete) throw incomplete;
}

/** Git resolves the paths of a patch from the top of the repository; a run's own work folder is not in one. */
function prefixOf(folder: RunFolder, { workspace_root }: RunRecord): string {
  if (workspace_root === folder.work || workspace_root === folder.path) return '';
  return Buffer.from(findRepository(workspace_root)?.prefix ?? '').toString('latin1');
}

function incompleteError(parts: readonly PatchPart[], prefix: string, { request }: RunRecord): TachoError | null {
  const lacking = parts.filter(({ missing }) => missing.length > 0);
  if (lacking.length === 0) return null;
  const limit = typeof request === 'object' ? request.recording.blob_max_bytes : Number.POSITIVE_INFINITY;
  const isTooLarge = ({ size }: FsEntry) => size > limit;
  const lines = lacking.slice(0, MAX_NAMED).map(({ step, missing }) => {
    const reasons = missing.map(({ entry }) => {
      const side = 'before' in step && step.before.entry === entry ? 'before' : 'after';
      const why = isTooLarge(entry) ? `larger than ${formatBytes(limit)}` : 'not kept';
      return `content ${side} the run ${why} (${formatBytes(entry.size)})`;
    });
    return `\n  ${nameOf(prefix + step.path)}: ${reasons.join(', ')}`;
  });
  const rest = lacking.length - lines.length;
  if (rest > 0) lines.push(`\n  and ${rest} more`);
  const message = `the patch leaves out ${count(lacking.length, 'file')}, whose content is not in the record:`;
  return new TachoError('PATCH_INCOMPLETE', `${message}${lines.join('')}\n `, {
    facts: { files: lacking.map(({ step }) => nameOf(prefix + step.path)) },
    fix: lacking.some(({ missing }) => missing.some(({ entry }) => isTooLarge(entry)))
      ? 'To keep larger files from the next run on, raise recording.blob_max_bytes.'
      : 'Level standard keeps no content; content from before a run is kept if the cache or git has it.',
  });
}
