import type { ShellWord } from '../shell/word.ts';
import { type KnownOptions, names, readArguments } from './arguments.ts';
import { readsOf, type Safety, unsafe } from './safe-command.ts';

/** How commits and differences are shown. Not --ext-diff, --textconv, --output, --no-index. */
const SHOWN: KnownOptions = {
  flags: 'pusrtzwbRaBMCDqWgimceE1',
  valued: 'nSGUL',
  long: names(`
    oneline stat shortstat numstat dirstat summary name-only name-status patch no-patch raw graph no-graph decorate
    no-decorate all branches tags remotes reverse follow no-merges merges first-parent cached staged color no-color
    color-words word-diff abbrev-commit no-abbrev-commit abbrev relative-date date format pretty check quiet exit-code
    ignore-all-space ignore-space-change ignore-blank-lines minimal patience histogram find-renames no-renames
    diff-filter relative no-ext-diff no-textconv full-index binary text function-context merge-base topo-order
    date-order left-right cherry-pick simplify-by-decoration show-signature no-prefix unified compact-summary
    patch-with-stat cc root invert-grep all-match regexp-ignore-case walk-reflogs source full-history ancestry-path
    boundary count parents children since until after before author committer grep max-count skip max-parents
    min-parents diff-algorithm inter-hunk-context ignore-submodules submodule encoding objects pickaxe-regex no-notes
    notes
  `),
  longValued: [],
  numbers: true,
};

interface Subcommand extends KnownOptions {
  /** Operands: files and revisions, or none. */
  operands?: 'none';
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  log: SHOWN,
  show: SHOWN,
  diff: SHOWN,
  whatchanged: SHOWN,
  shortlog: { ...SHOWN, flags: `${SHOWN.flags}ns`, valued: 'w' },
  'rev-list': SHOWN,
  'diff-tree': SHOWN,
  reflog: SHOWN,
  status: {
    flags: 'sbvuz',
    long: names(`
      short branch porcelain long verbose untracked-files ignored ignore-submodules column no-column ahead-behind
      no-ahead-behind renames no-renames show-stash
    `),
  },
  blame: {
    flags: 'bltfnspewMC',
    valued: 'L',
    long: names(`
      root show-stats porcelain line-porcelain show-name show-number show-email date abbrev color-lines
    `),
  },
  'ls-files': {
    flags: 'cdmosiutvzkf',
    valued: 'x',
    long: names(`
      cached deleted modified others ignored stage unmerged exclude-standard full-name error-unmatch directory abbrev
      eol
    `),
  },
  'ls-tree': {
    flags: 'drtlz',
    long: names(`
      long name-only name-status object-only full-name full-tree abbrev format
    `),
  },
  'rev-parse': { any: true },
  'merge-base': { flags: 'a', long: names('all is-ancestor octopus independent fork-point') },
  describe: {
    long: names(`
      all tags contains abbrev candidates exact-match long match always dirty first-parent
    `),
  },
  'name-rev': { long: names('tags name-only always refs') },
  'cat-file': { flags: 'ptse' },
  'check-ignore': { flags: 'vqn', long: names('verbose quiet non-matching no-index') },
  'count-objects': { flags: 'vH', operands: 'none' },
  grep: {
    flags: 'aIinwvhHlLczoEFGPpW',
    valued: 'eABCm',
    long: names(`
      text ignore-case line-number word-regexp invert-match files-with-matches name-only files-without-match count
      color break heading show-function function-context extended-regexp fixed-strings perl-regexp cached untracked
      recurse-submodules and or not all-match only-matching column max-depth
    `),
    numbers: true,
  },
  'for-each-ref': {
    long: names(`
      count sort format points-at merged no-merged contains no-contains ignore-case
    `),
  },
  'show-ref': {
    flags: 'dsq',
    long: names('head heads tags branches verify hash abbrev dereference quiet'),
  },
  branch: {
    flags: 'arvi',
    long: names(`
      all remotes verbose show-current sort format column no-column color no-color ignore-case
    `),
    longValued: names('contains no-contains merged no-merged points-at list'),
    operands: 'none',
  },
  tag: {
    flags: 'n',
    valued: 'l',
    long: names('sort format column'),
    longValued: names('list contains merged points-at'),
    operands: 'none',
  },
  'stash list': SHOWN,
  'stash show': SHOWN,
  'worktree list': { flags: 'vz', long: names('porcelain verbose'), operands: 'none' },
  remote: { flags: 'v', long: names('verbose'), operands: 'none' },
  'remote get-url': { long: names('push all') },
};

/** Subcommands that only read, without options that start programs (-c, --exec-path, --ext-diff …) or write files. */
export function checkGit(args: readonly ShellWord[]): Safety {
  const reads: ShellWord[] = [];
  let at = 0;
  for (; at < args.length && args[at]!.kind === 'literal' && args[at]!.value.startsWith('-'); at++) {
    const { value } = args[at]!;
    if (value === '-C' && args[at + 1]) reads.push(args[++at]!);
    else if (value === '--version' && args.length === 1) return readsOf([]);
    else if (!/^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs|--no-replace-objects)$/.test(value)) {
      return unsafe(`has the option ${value}, which may start programs`);
    }
  }
  const [name, next] = args.slice(at);
  if (name?.kind !== 'literal') return unsafe('has no literal subcommand');
  const pair = `${name.value} ${next?.kind === 'literal' ? next.value : ''}`;
  const isPair = Object.hasOwn(SUBCOMMANDS, pair);
  if (!isPair && !Object.hasOwn(SUBCOMMANDS, name.value)) return unsafe(`git ${name.value} is not known to be safe`);
  const known = SUBCOMMANDS[isPair ? pair : name.value]!;
  const read = readArguments(args.slice(at + (isPair ? 2 : 1)), known);
  if (typeof read === 'string') return unsafe(read);
  if (known.operands === 'none' && read.operands.length > 0) return unsafe(`git ${name.value} may change something`);
  if (name.value === 'reflog' && /^(?:expire|delete|drop|write)$/.test(read.operands[0]?.value ?? '')) {
    return unsafe('git reflog may change something');
  }
  // Paths that are not in the repository are compared as files. A pattern of `git grep` only looks like a path.
  const hasPattern = name.value === 'grep' && !read.has('e');
  if (hasPattern && read.operands[0]?.kind === 'glob') return unsafe('has an argument that is not known before');
  const operands = hasPattern ? read.operands.slice(1) : read.operands;
  return readsOf([...reads, ...operands]);
}
