import { type Inexpressible, type PatchPart, type PatchPlan, quoteName, textOfName } from '../../recording/index.ts';
import { count, formatBytes } from '../output/format.ts';
import { paint } from '../output/paint.ts';

const GRAPH_COLUMNS = 40;
const MAX_NAMED = 5;

/** A name on one line, as git prints it: plain, or quoted so that it cannot control a terminal. */
export function nameOf(name: string): string {
  return quoteName(name);
}

/** Changed lines per file, followed by the totals. */
export function statOf(parts: readonly PatchPart[], prefix: string): string {
  const names = parts.map(({ step }) => {
    const to = nameOf(prefix + step.path);
    return step.kind === 'rename' ? `${nameOf(prefix + step.from)} => ${to}` : to;
  });
  const width = Math.max(0, ...names.map((name) => name.length));
  const most = Math.max(1, ...parts.map(({ lines }) => (lines ? lines.insertions + lines.deletions : 0)));
  const rows = parts.map((part, index) => ` ${names[index]!.padEnd(width)} | ${figures(part, most)}\n`);
  const sum = (side: 'insertions' | 'deletions') => parts.reduce((total, { lines }) => total + (lines?.[side] ?? 0), 0);
  const sums = `${count(sum('insertions'), 'insertion')}(+), ${count(sum('deletions'), 'deletion')}(-)`;
  return `${rows.join('')} ${count(parts.length, 'file')} changed, ${sums}\n`;
}

function figures({ lines, binary, missing, step }: PatchPart, most: number): string {
  if (missing.length > 0) return 'content not kept';
  const size = (side: 'before' | 'after') =>
    side in step ? (step as { before: Side; after: Side })[side].entry.size : 0;
  if (binary) return `Bin ${formatBytes(size('before'))} -> ${formatBytes(size('after'))}`;
  const { insertions, deletions } = lines ?? { insertions: 0, deletions: 0 };
  const scaled = (number: number) =>
    number === 0 ? 0 : Math.max(1, Math.round(number * Math.min(1, GRAPH_COLUMNS / most)));
  const graph = paint.green('+'.repeat(scaled(insertions))) + paint.red('-'.repeat(scaled(deletions)));
  return `${insertions + deletions} ${graph}`.trimEnd();
}

type Side = PatchPart['missing'][number];

/** The `--json` output. */
export function jsonOf(parts: readonly PatchPart[], { inexpressible }: PatchPlan, prefix: string) {
  return {
    complete: parts.every(({ missing }) => missing.length === 0),
    changes: parts.map(({ step, lines, binary, missing }) => ({
      ...named('path', prefix + step.path),
      change: step.kind,
      ...(step.kind === 'rename' ? named('from', prefix + step.from) : {}),
      mode_before: 'before' in step ? step.before.mode : null,
      mode_after: 'after' in step ? step.after.mode : null,
      binary,
      insertions: lines?.insertions ?? null,
      deletions: lines?.deletions ?? null,
      missing: missing.map(({ entry }) => ({
        side: 'before' in step && step.before.entry === entry ? 'before' : 'after',
        size: entry.size,
      })),
    })),
    not_in_patch: inexpressible.map(({ path, reason }) => ({ ...named('path', prefix + path), reason })),
  };
}

function named(key: string, name: string): Record<string, string> {
  const { text, bytes } = textOfName(name);
  return { [key]: text, ...(bytes === undefined ? {} : { [`${key}_bytes`]: bytes }) };
}

const REASONS: Record<Inexpressible['reason'], string> = {
  permissions: 'only permissions changed that git does not keep',
  empty_folder: 'git does not keep empty folders',
  special_file: 'neither a file, a folder nor a link',
  git_folder: 'git does not accept paths inside .git',
};

/** One line per reason why a patch cannot express a change. */
export function describeInexpressible(inexpressible: readonly Inexpressible[], prefix: string): string {
  return Object.entries(REASONS)
    .map(([reason, text]) => {
      const names = inexpressible.filter((one) => one.reason === reason).map(({ path }) => nameOf(prefix + path));
      if (names.length === 0) return '';
      const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
      return `${paint.yellow('tacho:')} not in the patch: ${names.slice(0, MAX_NAMED).join(', ')}${more} (${text})\n`;
    })
    .join('');
}
