export type LineEnd = '\n' | '\r\n' | '';

/** A line of a file and how it ends; only the last one may have no end. */
export interface TextLine {
  text: string;
  end: LineEnd;
  isAdded?: boolean;
}

export function splitLines(content: string): TextLine[] {
  const lines: TextLine[] = [];
  for (let at = 0; at < content.length; ) {
    const feed = content.indexOf('\n', at);
    if (feed < 0) {
      lines.push({ text: content.slice(at), end: '' });
      break;
    }
    const hasReturn = feed > at && content[feed - 1] === '\r';
    lines.push({ text: content.slice(at, hasReturn ? feed - 1 : feed), end: hasReturn ? '\r\n' : '\n' });
    at = feed + 1;
  }
  return lines;
}

/** `keepsUnended`: an added last line gets no end. */
export function joinLines(lines: readonly TextLine[], { keepsUnended }: { keepsUnended: boolean }): string {
  const usual = lines.find(({ end }) => end !== '')?.end ?? '\n';
  return lines
    .map(({ text, end, isAdded }, index) => {
      const isLast = index === lines.length - 1;
      if (isLast) return text + (isAdded && keepsUnended ? '' : end);
      // What was the last line of the file is followed by others now.
      return text + (end === '' ? usual : end);
    })
    .join('');
}
