const OPENING = /^\s*(`{3,}|~{3,})[^\n`]*$/;

/** Text without the code fence around all of it; text that merely contains fenced parts stays as it is. */
export function withoutOuterFence(text: string): string {
  const lines = text.trim().split('\n');
  const fence = OPENING.exec(lines[0]!)?.[1];
  if (fence === undefined || lines.length < 2) return text;
  const closes = (line: string) => {
    const trimmed = line.trim();
    return trimmed.length >= fence.length && trimmed === fence[0]!.repeat(trimmed.length);
  };
  // The first line that closes the fence has to be the last one of all.
  return lines.findIndex((line, at) => at > 0 && closes(line)) === lines.length - 1
    ? lines.slice(1, -1).join('\n')
    : text;
}
