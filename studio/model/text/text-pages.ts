const PAGE = 32_768;

/** The beginning of a text, split into pages that render quickly; at line ends if possible. */
export function firstPages(text: string, most: number): string[] {
  const pages: string[] = [];
  for (let from = 0; from < text.length && pages.length < most; ) {
    const to = pageEnd(text, from);
    pages.push(text.slice(from, to));
    from = to;
  }
  return pages;
}

export function isOnePage(text: string): boolean {
  return text.length <= PAGE;
}

function pageEnd(text: string, from: number): number {
  const most = from + PAGE;
  if (most >= text.length) return text.length;
  const line = text.lastIndexOf('\n', most - 1) + 1;
  if (line > from + PAGE / 2) return line;
  const code = text.charCodeAt(most - 1);
  // Never splits a surrogate pair.
  return code >= 0xd800 && code < 0xdc00 ? most - 1 : most;
}
