import { type FilePatch, type Hunk, type HunkLine, PatchSyntaxError } from './file-patch.ts';

const RANGE = /^@@ -(?<oldStart>\d+)(?:,(?<oldCount>\d+))? \+(?<newStart>\d+)(?:,(?<newCount>\d+))? @@/;
const UNENDED = '\\ No newline at end of file';
const NOTHING = '/dev/null';
const KINDS = { ' ': 'context', '-': 'old', '+': 'new' } as const;

/** Reads a unified diff, also as git prints it. The counts of every hunk have to be right: otherwise lines are missing. */
export function parseUnifiedDiff(lines: readonly string[]): FilePatch[] {
  const patches: FilePatch[] = [];
  for (let at = 0; at < lines.length; ) {
    const git = readGitHead(lines, at);
    at = git.next;
    if (at >= lines.length || !isFileHead(lines, at)) {
      if (git.renamed) patches.push({ kind: 'update', path: git.renamed.from, moveTo: git.renamed.to, hunks: [] });
      else if (git.isGit) throw new PatchSyntaxError(git.from + 1, 'it changes no lines: binary, or only its mode');
      else if (at < lines.length && lines[at]!.trim() !== '' && patches.length > 0) {
        throw new PatchSyntaxError(at + 1, 'expected the "--- " line of another file, or a hunk');
      }
      if (!git.isGit) at++;
      continue;
    }
    const [from, to] = pathsOf(lines[at]!.slice(4), lines[at + 1]!.slice(4));
    const head = at + 1;
    at += 2;
    const hunks: Hunk[] = [];
    while (at < lines.length && lines[at]!.startsWith('@@')) {
      const { hunk, next } = readHunk(lines, at);
      hunks.push(hunk);
      at = next;
    }
    if (hunks.length === 0) throw new PatchSyntaxError(head + 1, 'no hunk follows; it has to begin with "@@ -"');
    patches.push(patchOf(from, to, hunks, git, head));
  }
  return patches;
}

interface GitHead {
  isGit: boolean;
  from: number;
  next: number;
  renamed: { from: string; to: string } | null;
  mode: number | undefined;
}

/** The lines of git before `--- `. */
function readGitHead(lines: readonly string[], at: number): GitHead {
  const head: GitHead = {
    isGit: lines[at]!.startsWith('diff --git '),
    from: at,
    next: at,
    renamed: null,
    mode: undefined,
  };
  if (!head.isGit) return head;
  const found = new Map<string, string>();
  for (head.next++; head.next < lines.length; head.next++) {
    const line = lines[head.next]!;
    if (line.startsWith('diff --git ') || isFileHead(lines, head.next)) break;
    const words = /^(?<key>rename from|rename to|new file mode|new mode) (?<value>.*)$/.exec(line)?.groups;
    if (words) found.set(words.key!, words.value!);
  }
  const [from, to] = [found.get('rename from'), found.get('rename to')];
  if (from !== undefined && to !== undefined) head.renamed = { from: unquoted(from), to: unquoted(to) };
  const mode = found.get('new file mode') ?? found.get('new mode');
  if (mode !== undefined) head.mode = Number.parseInt(mode, 8) & 0o777;
  return head;
}

function isFileHead(lines: readonly string[], at: number): boolean {
  return lines[at]!.startsWith('--- ') && (lines[at + 1]?.startsWith('+++ ') ?? false);
}

function patchOf(from: string, to: string, hunks: Hunk[], git: GitHead, head: number): FilePatch {
  const mode = git.mode === undefined ? {} : { mode: git.mode };
  if (from === NOTHING && to === NOTHING) throw new PatchSyntaxError(head, 'both files are /dev/null');
  if (to === NOTHING) return { kind: 'delete', path: from, hunks };
  if (from !== NOTHING) {
    const moved = git.renamed ?? (from === to || !git.isGit ? null : { from, to });
    return { kind: 'update', path: moved?.from ?? to, moveTo: moved?.to ?? null, hunks, ...mode };
  }
  const lines = hunks.flatMap((hunk) => hunk.lines);
  if (lines.some(({ kind }) => kind !== 'new')) throw new PatchSyntaxError(head + 2, 'a new file has only "+" lines');
  const content = lines.map(({ text, isUnended }) => `${text}${isUnended ? '' : '\n'}`).join('');
  return { kind: 'add', path: to, content, ...mode };
}

function readHunk(lines: readonly string[], start: number): { hunk: Hunk; next: number } {
  const range = RANGE.exec(lines[start]!)?.groups;
  if (!range) throw new PatchSyntaxError(start + 1, 'a hunk has to begin with "@@ -<line>,<count> +<line>,<count> @@"');
  const oldCount = Number(range.oldCount ?? 1);
  const newCount = Number(range.newCount ?? 1);
  const found: HunkLine[] = [];
  let [old, added] = [0, 0];
  let at = start + 1;
  while (old < oldCount || added < newCount || lines[at]?.startsWith(UNENDED)) {
    const line = lines[at];
    if (line?.startsWith(UNENDED)) {
      if (found.length > 0) found.at(-1)!.isUnended = true;
    } else {
      // Editors and models strip the space of an empty line.
      const kind = line === '' ? 'context' : line === undefined ? undefined : KINDS[line[0] as keyof typeof KINDS];
      if (!kind) throw wrongCounts(start, { oldCount, newCount, old, added });
      found.push({ kind, text: line!.slice(1) });
      if (kind !== 'new') old++;
      if (kind !== 'old') added++;
    }
    at++;
  }
  const follows = lines[at];
  const isWrong = old !== oldCount || added !== newCount || (follows !== undefined && /^[ +-]/.test(follows));
  if (isWrong && !(follows !== undefined && isFileHead(lines, at))) {
    throw wrongCounts(start, { oldCount, newCount, old, added });
  }
  // A hunk without old lines names the line that it follows.
  const oldStart = Number(range.oldStart) + (oldCount === 0 ? 1 : 0);
  return { hunk: { lines: found, at: oldStart, anchors: [], isAtEnd: false }, next: at };
}

function wrongCounts(
  start: number,
  { oldCount, newCount, old, added }: { oldCount: number; newCount: number; old: number; added: number },
): PatchSyntaxError {
  const what = `the hunk says ${oldCount} old and ${newCount} new lines, but other lines follow`;
  return new PatchSyntaxError(start + 1, `${what} (${old} old and ${added} new ones were read)`);
}

/** Without the prefixes of git and the times of diff. */
function pathsOf(from: string, to: string): [string, string] {
  const [one, other] = [withoutTime(from), withoutTime(to)];
  const isPrefixed =
    (one.startsWith('a/') || one === NOTHING) && (other.startsWith('b/') || other === NOTHING) && one !== other;
  const strip = (path: string) => (isPrefixed && path !== NOTHING ? path.slice(2) : path);
  return [strip(one), strip(other)];
}

function withoutTime(path: string): string {
  return path.startsWith('"') ? unquoted(path) : path.replace(/\t.*$/s, '').trimEnd();
}

/** Git quotes names with unusual characters, whose bytes it writes in octal. */
function unquoted(path: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(path)?.[1];
  if (quoted === undefined) return path.trimEnd();
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07' };
  const bytes = quoted.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs);
  const parts = Array.from(bytes, ([, octal, escaped, plain]) => {
    if (octal !== undefined) return Buffer.from([Number.parseInt(octal, 8)]);
    return Buffer.from(plain ?? escapes[escaped!] ?? escaped!);
  });
  return Buffer.concat(parts).toString();
}
