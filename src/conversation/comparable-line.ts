/** CSI sequences, then OSC and the other strings, then what is left of two-character escapes. */
const ANSI_ESCAPES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;

/** A line as it is compared with others: without colours and without white space around it. */
export function comparableLine(line: string): string {
  return (line.includes('\u001b') ? line.replace(ANSI_ESCAPES, '') : line).trim();
}
