/** What the reader of our output can show, by the environment it was started in. */

/** A terminal that knows no control sequences, such as that of an editor. */
function isDumb(): boolean {
  return process.env.TERM === 'dumb';
}

export function showsColors(stream: NodeJS.WriteStream): boolean {
  return Boolean(stream.isTTY) && !isDumb() && !process.env.NO_COLOR;
}

/** Whether lines that were written can be written again. */
export function canRewrite(stream: NodeJS.WriteStream): boolean {
  return Boolean(stream.isTTY) && !isDumb();
}

/** As in POSIX: the first of these that is set decides, and without any the locale is C. */
export function showsUtf8(env: NodeJS.ProcessEnv = process.env): boolean {
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}

/** For lines that fill a terminal: the sign of a cut text in one column also where it is ASCII. */
export function keepColumns(text: string): string {
  return showsUtf8() ? text : text.replaceAll('…', '~');
}
