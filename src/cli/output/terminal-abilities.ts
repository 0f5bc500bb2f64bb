/** Terminal capabilities, as far as the environment describes them. */

/** A terminal without control sequences, such as one inside an editor. */
function isDumb(): boolean {
  return process.env.TERM === 'dumb';
}

export function showsColors(stream: NodeJS.WriteStream): boolean {
  return Boolean(stream.isTTY) && !isDumb() && !process.env.NO_COLOR;
}

/** Whether lines can be rewritten. */
export function canRewrite(stream: NodeJS.WriteStream): boolean {
  return Boolean(stream.isTTY) && !isDumb();
}

/** As in POSIX: the first variable that is set decides; the default locale is C. */
export function showsUtf8(env: NodeJS.ProcessEnv = process.env): boolean {
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}

/** For lines that fill a terminal: replaces the ellipsis with one ASCII column. */
export function keepColumns(text: string): string {
  return showsUtf8() ? text : text.replaceAll('…', '~');
}
