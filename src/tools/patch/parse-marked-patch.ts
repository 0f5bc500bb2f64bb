import { type FilePatch, type Hunk, type HunkLine, PatchSyntaxError } from './file-patch.ts';

const HEAD = /^\*\*\* (?<what>Add File|Delete File|Update File): (?<path>.+)$/;
const MOVE = /^\*\*\* Move to: (?<path>.+)$/;
const END_OF_FILE = '*** End of File';
const END = '*** End Patch';
const KINDS = { ' ': 'context', '-': 'old', '+': 'new' } as const;

/**
 * Reads the format of `*** Begin Patch`: files by marker lines, and hunks that are found by their text instead of by
 * line numbers. `first` is the index of its first line.
 */
export function parseMarkedPatch(lines: readonly string[], first: number): FilePatch[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  if (lines[last]!.trim() !== END) throw new PatchSyntaxError(last + 1, `the last line has to be "${END}"`);
  const patches: FilePatch[] = [];
  let at = first + 1;
  while (at < last) {
    const head = HEAD.exec(lines[at]!.trimEnd())?.groups;
    if (!head)
      throw new PatchSyntaxError(at + 1, `expected "*** Add File: ", "*** Update File: " or "*** Delete File: "`);
    const begin = at + 1;
    at = begin;
    while (at < last && !HEAD.test(lines[at]!.trimEnd())) at++;
    const body = { lines: lines.slice(begin, at), from: begin + 1 };
    if (head.what === 'Add File') patches.push({ kind: 'add', path: head.path!, content: addedContent(body) });
    else if (head.what === 'Update File') patches.push(updateOf(head.path!, body));
    else {
      const extra = body.lines.findIndex((line) => line.trim() !== '');
      if (extra >= 0) throw new PatchSyntaxError(body.from + extra, 'nothing may follow "*** Delete File: "');
      patches.push({ kind: 'delete', path: head.path!, hunks: [] });
    }
  }
  return patches;
}

interface Body {
  lines: readonly string[];
  /** Number of its first line. */
  from: number;
}

function addedContent({ lines, from }: Body): string {
  const wrong = lines.findIndex((line) => !line.startsWith('+'));
  if (wrong >= 0) throw new PatchSyntaxError(from + wrong, 'every line of an added file has to begin with "+"');
  return lines.map((line) => `${line.slice(1)}\n`).join('');
}

function updateOf(path: string, { lines, from }: Body): FilePatch {
  const hunks: Hunk[] = [];
  const moveTo = MOVE.exec(lines[0]?.trimEnd() ?? '')?.groups?.path ?? null;
  let hunk: Hunk | null = null;
  const open = (): Hunk => {
    hunk = { lines: [], at: null, anchors: [], isAtEnd: false };
    hunks.push(hunk);
    return hunk;
  };
  for (const [index, line] of lines.entries()) {
    if (index === 0 && moveTo !== null) continue;
    if (line.startsWith('@@')) {
      const current: Hunk | null = hunk;
      // Several in a row lead to a place step by step.
      const wanted: Hunk = current !== null && isWaiting(current) ? current : open();
      const anchor = line.slice(2).replace(/^ /, '').trimEnd();
      if (anchor !== '') wanted.anchors.push(anchor);
      continue;
    }
    if (line.trimEnd() === END_OF_FILE) {
      if (hunk === null) throw new PatchSyntaxError(from + index, `"${END_OF_FILE}" has to follow lines of a hunk`);
      (hunk as Hunk).isAtEnd = true;
      continue;
    }
    (hunk ?? open()).lines.push(lineOf(line, from + index));
  }
  const empty = hunks.find(isWaiting);
  if (empty) throw new PatchSyntaxError(from + lines.length - 1, `a hunk of ${path} has no lines`);
  if (hunks.length === 0 && moveTo === null) throw new PatchSyntaxError(from - 1, `the update of ${path} has no hunks`);
  return { kind: 'update', path, moveTo, hunks };
}

function isWaiting({ lines }: Hunk): boolean {
  return lines.length === 0;
}

function lineOf(line: string, number: number): HunkLine {
  // Editors and models strip the space of an empty line.
  if (line === '' || line === '\r') return { kind: 'context', text: line };
  const kind = KINDS[line[0] as keyof typeof KINDS];
  if (!kind) throw new PatchSyntaxError(number, 'every line of a hunk has to begin with " ", "-" or "+"');
  return { kind, text: line.slice(1) };
}
