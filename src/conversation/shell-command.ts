const SHELL = /^(?:\S*\/)?(?:ba|da|z|k)?sh$/;
/** `-c`, alone or together with other short flags such as `-lc`. */
const RUN_FLAG = /^-[a-z]*c$/;
const WRAPPED = /^(\S+)\s+(-\S+)\s+([\s\S]*)$/;

/** The command a person would type: `ls` for `/bin/bash -lc 'ls'`, which is how agents hand commands to a shell. */
export function unwrapShell(command: string): string {
  const [, shell = '', flag = '', rest = ''] = WRAPPED.exec(command.trim()) ?? [];
  if (!SHELL.test(shell) || !RUN_FLAG.test(flag)) return command;
  return unquoteWord(rest) ?? command;
}

/** The same for a command that is given as a list of words. */
export function unwrapShellWords(words: readonly string[]): string {
  const [shell = '', flag = '', script, ...more] = words;
  if (script !== undefined && more.length === 0 && SHELL.test(shell) && RUN_FLAG.test(flag)) return script;
  return words.join(' ');
}

/** One shell word without its quotes; null when the text is not exactly one word. */
function unquoteWord(text: string): string | null {
  const part = /'([^']*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\\([\s\S])|([^\s'"\\]+)/y;
  let word = '';
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (!match) return null;
    const [, single, double, escaped, plain] = match;
    word += single ?? double?.replace(/\\([$`"\\\n])/g, '$1') ?? escaped ?? plain ?? '';
  }
  return word;
}
