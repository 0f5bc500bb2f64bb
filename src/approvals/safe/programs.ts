import { type KnownOptions, names, readArguments } from './arguments.ts';
import { checkFind } from './find.ts';
import { checkGit } from './git.ts';
import { readsOf, type SafeCommand, unsafe } from './safe-command.ts';
import { checkAwk, checkJq, checkSed } from './script-commands.ts';
import { checkDiff, checkGrep, checkRipgrep, checkUniq } from './search-commands.ts';
import {
  checkCd,
  checkCommandLookup,
  checkDate,
  checkPrintf,
  checkPs,
  checkSet,
  checkTest,
  checkVersion,
  printsText,
} from './text-commands.ts';

/** Commands that only read and print, and the options with which they do. */
export const SAFE_COMMANDS: ReadonlyMap<string, SafeCommand> = new Map<string, SafeCommand>([
  ...each(['echo', ':', 'true', 'false', 'exit', 'break', 'continue', 'return'], { check: printsText }),
  ['printf', { check: checkPrintf }],
  ...each(['pwd', 'whoami', 'tty', 'nproc', 'arch', 'groups', 'id', 'uptime', 'logname'], takes({ any: true }, 'text')),
  ...each(['uname', 'seq', 'sleep', 'basename', 'dirname', 'cal', 'getconf', 'locale'], takes({ any: true }, 'text')),
  ...each(['which', 'type', 'whereis', 'tr', 'expr', 'factor'], takes({ any: true }, 'text')),
  ...each(['ls', 'cat', 'head', 'tail', 'wc', 'nl', 'tac', 'rev', 'stat', 'du', 'df'], takes({ any: true }, 'files')),
  ...each(
    ['readlink', 'realpath', 'md5sum', 'sha1sum', 'sha224sum', 'sha256sum', 'sha384sum'],
    takes({ any: true }, 'files'),
  ),
  ...each(
    ['sha512sum', 'b2sum', 'cksum', 'sum', 'cmp', 'comm', 'fold', 'fmt', 'expand'],
    takes({ any: true }, 'files'),
  ),
  ...each(['unexpand', 'od', 'hexdump', 'strings', 'column', 'base64', 'base32'], takes({ any: true }, 'files')),
  [
    'cut',
    takes(
      {
        flags: 'nsz',
        valued: 'bcdf',
        long: names('complement only-delimited zero-terminated'),
        longValued: names('bytes characters delimiter fields output-delimiter'),
      },
      'files',
    ),
  ],
  [
    'paste',
    takes(
      { flags: 'sz', valued: 'd', long: names('serial zero-terminated'), longValued: names('delimiters') },
      'files',
    ),
  ],
  [
    'join',
    takes({ flags: 'iz', valued: '12aejotv', long: names('check-order nocheck-order header ignore-case') }, 'files'),
  ],
  ['diff', { check: checkDiff }],
  ['exec', takes({}, 'none')],
  ['wait', takes({}, 'none')],
  ['command', { check: checkCommandLookup }],
  ['date', { check: checkDate }],
  ['hostname', takes({ flags: 'adfiIsAy', long: names('fqdn short long domain ip-address') }, 'none')],
  ['set', { check: checkSet }],
  ['test', { check: checkTest }],
  ['[', { check: checkTest }],
  [
    'file',
    takes(
      { flags: 'bihkLNnprsv0', valued: 'F', long: names('brief mime mime-type mime-encoding dereference') },
      'files',
    ),
  ],
  [
    'tree',
    takes(
      {
        flags: 'adflpsughDFiCnqNtcUrxSJX',
        valued: 'LPI',
        long: names('noreport dirsfirst prune du si inodes gitignore ignore-case'),
        longValued: names('filelimit sort charset timefmt'),
      },
      'files',
    ),
  ],
  [
    'sort',
    takes(
      {
        flags: 'bdfgiMhnRrVcCmsuz',
        valued: 'kt',
        long: names(`
          ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort
          human-numeric-sort numeric-sort reverse version-sort check merge stable unique zero-terminated debug
        `),
        longValued: names('key field-separator sort parallel'),
      },
      'files',
    ),
  ],
  ['uniq', { check: checkUniq }],
  ...each(['grep', 'egrep', 'fgrep'], { check: checkGrep }),
  ['rg', { check: checkRipgrep }],
  ['find', { check: checkFind }],
  ['git', { check: checkGit }],
  ...each(['sed', 'gsed'], { check: checkSed }),
  ...each(['awk', 'gawk', 'mawk'], { check: checkAwk }),
  ['jq', { check: checkJq }],
  ['ps', { check: checkPs }],
  ['cd', { check: checkCd }],
  ...each(['node', 'npm', 'npx', 'pnpm', 'yarn', 'bun', 'deno', 'tsc', 'python', 'python3', 'pip', 'pip3'], {
    check: checkVersion,
  }),
  ...each(['cargo', 'rustc', 'gcc', 'clang', 'make', 'cmake', 'ruby', 'perl', 'php', 'docker', 'uv'], {
    check: checkVersion,
  }),
  ...each(['go', 'java', 'curl', 'wget', 'tar', 'ssh', 'vim', 'tacho'], { check: checkVersion }),
]);

type Operands = 'none' | 'text' | 'files';

function each(programs: readonly string[], command: SafeCommand): [string, SafeCommand][] {
  return programs.map((name) => [name, command]);
}

function takes(known: KnownOptions, operands: Operands): SafeCommand {
  return {
    check(args) {
      if (operands === 'text' && known.any) return readsOf([]);
      const read = readArguments(args, known);
      if (typeof read === 'string') return unsafe(read);
      if (operands === 'none' && read.operands.length > 0) return unsafe('has an operand');
      return readsOf(operands === 'files' ? [...read.operands, ...read.files] : read.files);
    },
  };
}
