/** A destination for lines of text: the screen, or a list. */
export interface LineSink {
  /** Appends to the open line, or opens one. The text contains no line end. */
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
