/** Scripts without spaces between words, and symbols that are words by themselves. */
const WORD_BY_ITSELF =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{So}]/gu;
/** None of the above comes before the first accent. */
const PLAIN = /^[\0-\u02ff]*$/;

/**
 * Text as the index splits it into words. Each character of a script without spaces becomes a word, and a search for
 * several of them is a phrase search: so one and two characters are found like longer texts.
 */
export function searchableText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.normalize('NFKC').replaceAll(WORD_BY_ITSELF, ' $& ');
}

/** The words of a query, all of which must match; null if the query has no searchable text. */
export function searchExpression(query: string): string | null {
  const terms: string[] = [];
  for (const [, quoted, word] of query
    .slice(0, MAX_CHARACTERS)
    .replaceAll('\0', ' ')
    .matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const text = searchableText(quoted ?? word ?? '').trim();
    if (!/[\p{L}\p{N}\p{Co}\p{So}]/u.test(text)) continue;
    terms.push(`"${text}"${quoted === undefined && isBeginning(text) ? '*' : ''}`);
    if (terms.length === MAX_TERMS) break;
  }
  return terms.length === 0 ? null : terms.join(' AND ');
}

const MAX_CHARACTERS = 1000;
const MAX_TERMS = 32;

/** A word of three letters or more also matches as a prefix; a shorter one would match almost everything. */
function isBeginning(text: string): boolean {
  return /[\p{L}\p{N}\p{Co}\p{M}]{3}[^\p{L}\p{N}]*$/u.test(text);
}
