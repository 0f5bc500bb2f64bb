import type { CommandWords } from './command-words.ts';
import { quote } from './quote.ts';

export function zshScript(commands: readonly CommandWords[], engines: readonly string[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return `#compdef tacho
# zsh completion for tacho. Load it after compinit with: source <(tacho completion zsh)

_tacho() {
  local route='' word kind=file
  local -a commands options values found
  integer i
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ $word == -- ]]; then _files; return; fi
    case "\${route:+$route }$word" in
      (${paths.join('|')}) route="\${route:+$route }$word" ;;
    esac
  done
  case $route in
${commands.map(branch).join('\n')}
  esac
  if (( \${values[(Ie)\${words[CURRENT - 1]}]} )); then
    kind=file
    [[ \${words[CURRENT - 1]} == --run-dir ]] && kind=run
  elif [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options
    return
  elif (( \${#commands} )); then
    _describe command commands
    return
  fi
  case $kind in
    (run|session|skill)
      # A line is a value, a tab and a description.
      found=("\${(@f)$("\${words[1]}" complete-\${kind}s 2>/dev/null)}")
      found=("\${(@)found/$'\\t'/:}")
      [[ -n "\${found[1]}" ]] && _describe -V $kind found
      ;;
    (engine) found=(${engines.join(' ')}); _describe engine found || _files ;;
    (shell) found=(bash zsh fish); _describe shell found ;;
    (*) _files ;;
  esac
}

if [[ "\${funcstack[1]}" == _tacho ]]; then
  _tacho "$@"
elif (( $+functions[compdef] )); then
  compdef _tacho tacho
fi
`;
}

function branch({ path, commands, options, argument }: CommandWords): string {
  const described = (name: string, description: string) => quote(`${name.replaceAll(':', '\\:')}:${description}`);
  const values = options.filter(({ value }) => value !== null).map(({ flag }) => flag);
  return `    (${quote(path)})
      commands=(${commands.map(({ name, description }) => described(name, description)).join(' ')})
      options=(${options.map(({ flag, description }) => described(flag, description)).join(' ')})
      values=(${values.join(' ')})
      kind=${argument} ;;`;
}
