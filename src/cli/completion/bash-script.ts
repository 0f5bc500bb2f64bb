import type { CommandWords } from './command-words.ts';
import { quote } from './quote.ts';

export function bashScript(commands: readonly CommandWords[], engines: readonly string[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return `# bash completion for tacho. Load it with: source <(tacho completion bash)

# Candidates are lines of a value, a tab and a description. Several are listed with it, one is inserted without.
_tacho_described() {
  local value description
  local -a found=()
  while IFS=$'\\t' read -r value description; do
    [[ -n $value && $value == "$1"* ]] && found+=("$value  ($description)")
  done
  if (( \${#found[@]} == 1 )); then COMPREPLY=("\${found[0]%%  (*}"); else COMPREPLY=("\${found[@]}"); fi
}

_tacho() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} route='' word i
  local commands='' options='' values='' kind=file
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == -- ]]; then compopt -o default 2>/dev/null; return 0; fi
    case "\${route:+$route }$word" in
      ${paths.join(' | ')}) route="\${route:+$route }$word" ;;
    esac
  done
  case $route in
${commands.map(branch).join('\n')}
  esac
  if [[ " $values " == *" $prev "* ]]; then
    kind=file
    [[ $prev == --run-dir ]] && kind=run
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    return 0
  elif [[ -n $commands ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$cur"))
    return 0
  fi
  case $kind in
    run) _tacho_described "$cur" < <("\${COMP_WORDS[0]}" complete-runs 2>/dev/null) ;;
    session) _tacho_described "$cur" < <("\${COMP_WORDS[0]}" complete-sessions 2>/dev/null) ;;
    skill) _tacho_described "$cur" < <("\${COMP_WORDS[0]}" complete-skills 2>/dev/null) ;;
    engine) COMPREPLY=($(compgen -W ${quote(engines.join(' '))} -- "$cur")) ;;
    shell) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$cur")) ;;
  esac
  [[ $kind == file || ($kind == engine && \${#COMPREPLY[@]} -eq 0) ]] && compopt -o default 2>/dev/null
  return 0
}

complete -F _tacho tacho
`;
}

function branch({ path, commands, options, argument }: CommandWords): string {
  const flags = options.map(({ flag }) => flag);
  const values = options.filter(({ value }) => value !== null).map(({ flag }) => flag);
  const parts = [
    ...(commands.length > 0 ? [`commands=${quote(commands.map(({ name }) => name).join(' '))}`] : []),
    `options=${quote(flags.join(' '))}`,
    ...(values.length > 0 ? [`values=${quote(values.join(' '))}`] : []),
    `kind=${argument}`,
  ];
  return `    ${quote(path)}) ${parts.join(' ')} ;;`;
}
