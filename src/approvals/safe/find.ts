import { endOfCommand } from '../shell/find-commands.ts';
import { literalWord, type ShellWord } from '../shell/word.ts';
import { names } from './arguments.ts';
import { readsOf, type Safety, unsafe } from './safe-command.ts';

const ALONE = new Set(
  names(`
    -empty -readable -writable -executable -true -false -nouser -nogroup -prune -print -print0 -ls -depth -d -mount
    -xdev -daystart -noleaf -follow -o -or -a -and -not -quit -nowarn -warn ! ( ) ,
  `),
);
const VALUED = new Set(
  names(`
    -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -atime
    -ctime -mmin -amin -cmin -newer -anewer -cnewer -newermt -newerct -newerat -user -group -uid -gid -perm -maxdepth
    -mindepth -links -inum -regextype -printf -used -fstype
  `),
);
const RUNS = /^-(?:exec|execdir|ok|okdir)$/;

/** A search is safe if it prints; the commands of -exec are judged by themselves. */
export function checkFind(args: readonly ShellWord[]): Safety {
  const roots: ShellWord[] = [];
  let at = 0;
  while (/^-[HP]$/.test(args[at]?.value ?? '')) at++;
  for (; at < args.length && !/^[-(!,]/.test(args[at]!.value); at++) roots.push(args[at]!);
  if (roots.some(({ kind, value }) => kind === 'glob' && /^[*?[]/.test(value)))
    return unsafe('has a pattern as a root');
  for (; at < args.length; at++) {
    const { kind, value } = args[at]!;
    if (kind !== 'literal') return unsafe('has an argument that is not known before');
    if (RUNS.test(value)) at = endOfCommand(args, at + 1);
    else if (VALUED.has(value)) {
      at++;
      // A pattern without quotes may become several words, and the names of files may look like actions.
      if (args[at] && args[at]!.kind !== 'literal') return unsafe(`has no literal value for ${value}`);
    } else if (!ALONE.has(value)) return unsafe(`has ${value}, which is not known to be harmless`);
  }
  return readsOf(roots.length > 0 ? roots : [literalWord('.')]);
}
