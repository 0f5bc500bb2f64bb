/** How a page shows an assistant's text: an answer that is one JSON object or list as such, all else as Markdown. */
export function formatOf(text: string): 'json' | 'markdown' {
  const trimmed = text.trim();
  // A bare number or a quoted word is JSON too, but it is read as a sentence.
  if (!/^[{[]/.test(trimmed)) return 'markdown';
  try {
    JSON.parse(trimmed);
    return 'json';
  } catch {
    return 'markdown'; // Prose that begins with a bracket.
  }
}
