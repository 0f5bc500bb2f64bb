import { nameOfText } from '../snapshot/name-bytes.ts';
import { binaryPatch, objectId } from './binary-patch.ts';
import { isSameContent, type PatchSide, type PatchStep } from './plan-patch.ts';
import { quoteName } from './quote-name.ts';
import { type TextPatch, textPatch } from './text-patch.ts';

/** The patch of one path. */
export interface PatchPart {
  step: PatchStep;
  /** The bytes of the patch; null if content is missing. */
  patch: Buffer | null;
  /** Sides whose content is not in the record. */
  missing: PatchSide[];
  /** Null if the change is not textual. */
  lines: { insertions: number; deletions: number } | null;
  /** The content changed and is not text. */
  binary: boolean;
}

export interface PatchOptions {
  /** Content by its sha256; null if the record does not have it, or it was altered. */
  readBlob(sha256: string): Buffer | null;
  /** Prefix for every path, as a latin1 string: empty, or with a trailing slash. */
  prefix?: string;
  /** Whether to write binary content, for `git apply`, or only that it differs. */
  binaryContent?: 'write' | 'omit';
}

const EMPTY = Buffer.alloc(0);
const NO_OBJECT = '0'.repeat(40);

/** Writes one step like `git diff --binary --full-index`, so that `git apply` can apply and revert it. */
export function writePatch(step: PatchStep, options: PatchOptions): PatchPart {
  const { readBlob, prefix = '', binaryContent = 'write' } = options;
  const before = 'before' in step ? step.before : null;
  const after = 'after' in step ? step.after : null;
  const names = namesOf(step, prefix);
  const header = headerLines(step, before, after, names);
  const part: PatchPart = { step, patch: null, missing: [], lines: null, binary: false };
  if (before && after && isSameContent(before, after)) {
    return { ...part, patch: Buffer.from(header, 'latin1'), lines: { insertions: 0, deletions: 0 } };
  }
  const read = (side: PatchSide | null): Buffer => {
    const content = side === null ? EMPTY : contentOf(side, readBlob);
    if (content === null) part.missing.push(side!);
    return content ?? EMPTY;
  };
  const [old, fresh] = [read(before), read(after)];
  if (part.missing.length > 0) return part;
  const index = indexLine(before && objectId(old), after && objectId(fresh), before, after);
  if (old.includes(0) || fresh.includes(0)) {
    const differ = `Binary files ${shownName('a', before && names.old)} and ${shownName('b', after && names.fresh)} differ\n`;
    const content = binaryContent === 'write' ? binaryPatch(old, fresh) : Buffer.from(differ, 'latin1');
    return { ...part, patch: Buffer.concat([Buffer.from(header + index, 'latin1'), content]), binary: true };
  }
  const { hunks, insertions, deletions }: TextPatch = textPatch(old, fresh);
  const files =
    hunks === '' ? '' : `--- ${fileName('a', before && names.old)}\n+++ ${fileName('b', after && names.fresh)}\n`;
  return { ...part, patch: Buffer.from(header + index + files + hunks, 'latin1'), lines: { insertions, deletions } };
}

interface Names {
  old: string;
  fresh: string;
}

function namesOf(step: PatchStep, prefix: string): Names {
  const from = step.kind === 'rename' ? step.from : step.path;
  return { old: prefix + from, fresh: prefix + step.path };
}

function headerLines(step: PatchStep, before: PatchSide | null, after: PatchSide | null, names: Names): string {
  let header = `diff --git ${quoteName(`a/${names.old}`)} ${quoteName(`b/${names.fresh}`)}\n`;
  if (before === null) header += `new file mode ${after!.mode}\n`;
  else if (after === null) header += `deleted file mode ${before.mode}\n`;
  else if (before.mode !== after.mode) header += `old mode ${before.mode}\nnew mode ${after.mode}\n`;
  if (step.kind !== 'rename') return header;
  return `${header}similarity index 100%\nrename from ${quoteName(names.old)}\nrename to ${quoteName(names.fresh)}\n`;
}

function indexLine(
  old: string | null,
  fresh: string | null,
  before: PatchSide | null,
  after: PatchSide | null,
): string {
  const mode = before && after && before.mode === after.mode ? ` ${after.mode}` : '';
  return `index ${old ?? NO_OBJECT}..${fresh ?? NO_OBJECT}${mode}\n`;
}

function shownName(side: 'a' | 'b', name: string | null): string {
  return name === null ? '/dev/null' : quoteName(`${side}/${name}`);
}

/** A trailing tab marks the end of a name with spaces. */
function fileName(side: 'a' | 'b', name: string | null): string {
  const quoted = shownName(side, name);
  return quoted.includes(' ') && !quoted.startsWith('"') ? `${quoted}\t` : quoted;
}

function contentOf({ entry, blob }: PatchSide, readBlob: PatchOptions['readBlob']): Buffer | null {
  if (entry.type === 'symlink') return targetOf(entry);
  if (entry.size === 0 && entry.sha256 !== null) return EMPTY;
  return blob === null ? null : readBlob(blob);
}

function targetOf({ target = '', target_bytes }: PatchSide['entry']): Buffer {
  return target_bytes === undefined ? Buffer.from(nameOfText(target), 'latin1') : Buffer.from(target_bytes, 'base64');
}
