/** One term of a filter as typed. `key` is null for free text. */
export interface FilterTerm {
  negated: boolean;
  key: string | null;
  value: string;
}

/**
 * Parses the filter box: `event:tool.*`, `source:stderr`, `-event:raw.*`, free text, quotes. Nothing is rejected here;
 * an invalid term is kept, and `filterProblem` reports it.
 */
export function parseFilter(text: string): FilterTerm[] {
  const terms: FilterTerm[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at]!)) {
      at++;
      continue;
    }
    const { term, end } = readTerm(text, at);
    // Empty free text matches every event.
    if (term.key !== null || term.value !== '') terms.push(term);
    at = end;
  }
  return terms;
}

/** The inverse: parsing the result gives the same terms. */
export function formatFilter(terms: readonly FilterTerm[]): string {
  return terms
    .map(({ negated, key, value }) => {
      const plain = key === null ? /^[^\s":\\-][^\s":\\]*$/ : /^[^\s"/][^\s"]*$/;
      const written = plain.test(value) || (key !== null && value === '') ? value : quote(value);
      return `${negated ? '-' : ''}${key === null ? '' : `${key}:`}${written}`;
    })
    .join(' ');
}

/** Removes a term if it is present, otherwise adds it. */
export function toggleTerm(text: string, term: FilterTerm): string {
  const terms = parseFilter(text);
  const others = terms.filter((other) => !sameTerm(other, term));
  return formatFilter(others.length < terms.length ? others : [...terms, term]);
}

export function hasTerm(terms: readonly FilterTerm[], term: FilterTerm): boolean {
  return terms.some((other) => sameTerm(other, term));
}

function sameTerm(one: FilterTerm, other: FilterTerm): boolean {
  return one.negated === other.negated && one.key === other.key && one.value === other.value;
}

function readTerm(text: string, from: number): { term: FilterTerm; end: number } {
  let at = from;
  const negated = text[at] === '-' && at + 1 < text.length && !/\s/.test(text[at + 1]!);
  if (negated) at++;
  // A URL is text, not a key followed by two slashes.
  const key = /^([a-z]+):(?!\/\/)/.exec(text.slice(at, at + 40))?.[1] ?? null;
  if (key !== null) at += key.length + 1;
  const { value, end } = text[at] === '"' ? readQuoted(text, at + 1) : readPlain(text, at);
  return { term: { negated, key, value }, end };
}

function readPlain(text: string, from: number): { value: string; end: number } {
  const length = text.slice(from).search(/\s/);
  const end = length < 0 ? text.length : from + length;
  return { value: text.slice(from, end), end };
}

/** An unclosed quote extends to the end: it is still being typed. */
function readQuoted(text: string, from: number): { value: string; end: number } {
  let value = '';
  let at = from;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] === '\\' && at + 1 < text.length) at++;
    value += text[at];
  }
  return { value, end: at + 1 };
}

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
