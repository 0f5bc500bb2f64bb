import type { ArgumentKind, CommandWords, OptionWords } from './command-words.ts';
import { quoteForFish as quote } from './quote.ts';

export function fishScript(commands: readonly CommandWords[], engines: readonly string[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  const candidates: Record<Exclude<ArgumentKind, 'file'>, string> = {
    run: '(__tacho_candidates runs)',
    session: '(__tacho_candidates sessions)',
    skill: '(__tacho_candidates skills)',
    engine: engines.join(' '),
    shell: 'bash zsh fish',
  };
  const lines = commands.flatMap((command) => linesOf(command, candidates));
  return `# fish completion for tacho. Load it with: tacho completion fish | source

function __tacho_at
    set -l route ''
    set -l words (commandline -opc)
    for word in $words[2..-1]
        test "$word" = --; and return 1
        set -l next (string trim -- "$route $word")
        contains -- "$next" ${paths.join(' ')}; and set route "$next"
    end
    test "$route" = "$argv[1]"
end

# Lines of a value, a tab and a description.
function __tacho_candidates
    set -l words (commandline -opc)
    command $words[1] complete-$argv[1] 2>/dev/null
end

complete -c tacho -e
complete -c tacho -n 'not contains -- -- (commandline -opc)' -f
${lines.join('\n')}
`;
}

function linesOf(
  { path, commands, options, argument }: CommandWords,
  candidates: Record<Exclude<ArgumentKind, 'file'>, string>,
): string[] {
  const start = `complete -c tacho -n ${quote(`__tacho_at ${quote(path)}`)}`;
  const words = commands.map(({ name, description }) => `${start} -a ${quote(name)} -d ${quote(description)}`);
  const argumentLine = argument === 'file' ? `${start} -F` : `${start} -k -a ${quote(candidates[argument])}`;
  return [
    ...words,
    ...(commands.length > 0 ? [] : [argumentLine]),
    ...(argument === 'engine' ? [`${start} -F`] : []),
    ...options.map((option) => `${start} ${optionLine(option, candidates)}`),
  ];
}

function optionLine({ flag, description, value }: OptionWords, candidates: Record<string, string>): string {
  const name = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
  const takes = value === null ? '' : value === 'file' ? ' -r -F' : ` -x -k -a ${quote(candidates[value]!)}`;
  return `${name}${takes} -d ${quote(description)}`;
}
