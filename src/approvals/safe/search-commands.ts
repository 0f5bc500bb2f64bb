import { literalWord, type ShellWord } from '../shell/word.ts';
import { type Arguments, names, readArguments } from './arguments.ts';
import { readsOf, type Safety, unsafe } from './safe-command.ts';

export function checkDiff(args: readonly ShellWord[]): Safety {
  const read = readArguments(args, {
    flags: 'qsuceynpPtTdwbBiEaNrZ',
    valued: 'UCWx',
    long: names(`
      brief unified context side-by-side recursive new-file ignore-case ignore-all-space ignore-space-change
      ignore-blank-lines minimal text strip-trailing-cr color no-dereference report-identical-files
      suppress-common-lines
    `),
    longValued: names('exclude width label'),
  });
  if (typeof read === 'string') return unsafe(read);
  return readsOf(read.operands, read.has('r') || read.has('recursive'));
}

/** The second operand is the file that uniq writes. */
export function checkUniq(args: readonly ShellWord[]): Safety {
  const read = readArguments(args, {
    flags: 'cdDiuz',
    valued: 'fsw',
    long: names('count repeated all-repeated ignore-case unique zero-terminated group'),
    longValued: names('skip-fields skip-chars check-chars'),
  });
  if (typeof read === 'string') return unsafe(read);
  if (read.operands.length > 1 || read.operands.some(({ kind }) => kind === 'glob')) return unsafe('may write a file');
  return readsOf(read.operands);
}

export function checkGrep(args: readonly ShellWord[]): Safety {
  const read = readArguments(args, {
    flags: 'EFGPaibcHhIJLlnoqRrsTUuVvwxyzZ',
    valued: 'eABCmdD',
    files: names('f file exclude-from'),
    long: names(`
      extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp
      line-regexp count color colour files-with-matches files-without-match only-matching quiet silent no-messages
      byte-offset with-filename no-filename line-number initial-tab null text recursive dereference-recursive
      null-data line-buffered version help
    `),
    longValued: names(`
      regexp max-count after-context before-context context binary-files directories devices exclude exclude-dir
      include label
    `),
    numbers: true,
  });
  if (typeof read === 'string') return unsafe(read);
  const deep = ['r', 'R', 'recursive', 'dereference-recursive', 'd', 'directories'].some(read.has);
  const hasPattern = ['e', 'regexp', 'f', 'file'].some(read.has);
  return searched(read, { hasPattern, deep });
}

/** Not --pre, --hostname-bin, --search-zip, which start programs. */
export function checkRipgrep(args: readonly ShellWord[]): Safety {
  const read = readArguments(args, {
    flags: 'sSiFwxvcloLnNHIUuaPp0qV.bh',
    valued: 'eABCmgtTdrjME',
    files: names('f file ignore-file'),
    long: names(`
      case-sensitive smart-case ignore-case fixed-strings word-regexp line-regexp invert-match count count-matches
      files-with-matches files-without-match only-matching line-number no-line-number with-filename no-filename
      multiline multiline-dotall unrestricted hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent text pcre2
      pretty null quiet version files heading no-heading json vimgrep column no-column trim stats type-list
      no-messages no-config passthru byte-offset help crlf glob-case-insensitive follow
    `),
    longValued: names(`
      regexp after-context before-context context max-count glob iglob type type-not max-depth maxdepth replace
      threads max-columns encoding color colors sort sortr max-filesize context-separator path-separator engine
      type-add
    `),
    numbers: false,
  });
  if (typeof read === 'string') return unsafe(read);
  const hasPattern = ['e', 'regexp', 'f', 'file', 'files', 'type-list'].some(read.has);
  return searched(read, { hasPattern, deep: true });
}

/** The first operand is what to search for, unless an option says that. Without others the whole folder is searched. */
function searched(
  { operands, files }: Pick<Arguments, 'operands' | 'files'>,
  { hasPattern, deep }: { hasPattern: boolean; deep: boolean },
): Safety {
  const [pattern] = operands;
  // The names of files that a pattern of the shell matches would be searched.
  if (!hasPattern && pattern && pattern.kind !== 'literal') return unsafe('has an argument that is not known before');
  const named = operands.slice(hasPattern ? 0 : 1);
  const places = named.length === 0 && deep ? [literalWord('.')] : named;
  return {
    safe: true,
    reads: [...places.map((word) => ({ word, deep })), ...files.map((word) => ({ word, deep: false }))],
  };
}
