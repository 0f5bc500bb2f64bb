/** Enough to fill a line even when much of it is white space; what a tool is given can be a whole file. */
const LOOKED_AT = 4096;

/** Text as one line of at most `length` characters: line ends, tabs and control characters become single spaces. */
export function oneLine(text: string, length: number): string {
  const begun = text.trimStart();
  const line = begun
    .slice(0, LOOKED_AT)
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  if (line.length <= length && begun.length <= LOOKED_AT) return line;
  const cut = line.slice(0, length - 1);
  // Half of a character that takes two units would be shown as garbage.
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
