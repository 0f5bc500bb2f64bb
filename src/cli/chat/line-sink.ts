/** Where text goes, line by line: the screen, or a list of lines. */
export interface LineSink {
  /** Adds to the line that is open, or opens one. Holds no line end. */
  append(text: string): void;
  endLine(): void;
}

export function collectLines(): LineSink & { lines: string[] } {
  const lines: string[] = [];
  let open = '';
  return {
    lines,
    append(text) {
      open += text;
    },
    endLine() {
      lines.push(open);
      open = '';
    },
  };
}
