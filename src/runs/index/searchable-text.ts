/** Writing without spaces between words, and symbols that are words by themselves. */
const WORD_BY_ITSELF =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{So}]/gu;
/** Nothing of the above stands before the first accent. */
const PLAIN = /^[\0-\u02ff]*$/;

/**
 * Text as the index cuts it into words. Each character of a script that is written without spaces becomes a word, and
 * whoever looks for several of them looks for these words in a row: so one and two characters are found like any more.
 */
export function searchableText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.normalize('NFKC').replaceAll(WORD_BY_ITSELF, ' $& ');
}

/** The words of a query, all of which must be there; null when there is nothing in it that could be found. */
export function searchExpression(query: string): string | null {
  const terms: string[] = [];
  for (const [, quoted, word] of query
    .slice(0, MOST_CHARACTERS)
    .replaceAll('\0', ' ')
    .matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const text = searchableText(quoted ?? word ?? '').trim();
    if (!/[\p{L}\p{N}\p{Co}\p{So}]/u.test(text)) continue;
    terms.push(`"${text}"${quoted === undefined && isBeginning(text) ? '*' : ''}`);
    if (terms.length === MOST_TERMS) break;
  }
  return terms.length === 0 ? null : terms.join(' AND ');
}

const MOST_CHARACTERS = 1000;
const MOST_TERMS = 32;

/** A word of three letters or more is found by its beginning, too; a shorter one would be found everywhere. */
function isBeginning(text: string): boolean {
  return /[\p{L}\p{N}\p{Co}\p{M}]{3}[^\p{L}\p{N}]*$/u.test(text);
}
