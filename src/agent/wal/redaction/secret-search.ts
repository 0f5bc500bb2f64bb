import { byPosition, type Place, type Secret, SecretFinder } from '../../../record/output/secret-finder.ts';
import { secretForms } from './secret-forms.ts';

export interface SecretValue {
  name: string;
  value: string;
}

interface SearchedText {
  text: string;
  /** The unit before the text, if there is one. */
  before: string;
  /** Whether more of the text may follow. */
  isOpen: boolean;
}

interface Found {
  /** What to replace, in order. Places neither overlap nor touch each other. */
  places: Place[];
  /** Every secret that begins before this unit is among them: what follows cannot change it. */
  certainTo: number;
}

/** Stands for a secret in a masked text. */
export function markerOf(name: string): string {
  return `[secret ${name}]`;
}

/** Shorter values occur in other words by chance, and count as whole words only. */
const MIN_LENGTH = 6;
/** A shorter part of a secret that was cut off occurs by chance, and is of no use. */
const MIN_PART_LENGTH = 4;
const WORD = /[\p{L}\p{N}_]/u;

/** Searches texts for all forms of all secrets at once. */
export class SecretSearch {
  readonly #finder: SecretFinder;
  readonly #words: SecretFinder | null;
  readonly #forms: readonly SecretValue[];
  /** Of the same values from their ends; made when a text that was cut is searched. */
  #backwards: SecretFinder | null = null;
  #units = new Uint16Array(1024);

  constructor(secrets: readonly SecretValue[]) {
    const long = secrets.filter(({ value }) => value.length >= MIN_LENGTH);
    const short = secrets.filter(({ value }) => value.length < MIN_LENGTH && value !== '');
    this.#forms = long.flatMap(({ name, value }) => secretForms(value).map((form) => ({ name, value: form })));
    this.#finder = new SecretFinder(this.#forms.map(({ name, value }) => secretOf(name, value)));
    this.#words = short.length > 0 ? new SecretFinder(short.map(({ name, value }) => secretOf(name, value))) : null;
  }

  search({ text, before, isOpen }: SearchedText): Found {
    const units = this.#unitsOf(text);
    const places = this.#finder.places(units);
    let certainTo = isOpen ? text.length - this.#finder.possibleStart(units) : text.length;
    this.#words?.eachMatch(units, ({ name, units: { length } }, from) => {
      const to = from + length;
      if (WORD.test(from > 0 ? text[from - 1]! : before)) return;
      if (to === text.length && isOpen) certainTo = Math.min(certainTo, from);
      else if (to === text.length || !WORD.test(text[to]!)) places.push({ from, to, name });
    });
    if (this.#words && isOpen) certainTo = Math.min(certainTo, text.length - this.#words.possibleStart(units));
    return { places: joined(places), certainTo };
  }

  /** All places in a text of which something was left out: before it, after it, or both. */
  searchCut(text: string, { before, after }: { before: boolean; after: boolean }): Place[] {
    const { places } = this.search({ text, before: '', isOpen: false });
    const end = after ? this.#finder.possibleStart(this.#unitsOf(text)) : 0;
    if (end >= MIN_PART_LENGTH) {
      const part = text.slice(text.length - end);
      const { name } = this.#forms.find(({ value }) => value.startsWith(part))!;
      places.push({ from: text.length - end, to: text.length, name });
    }
    const start = before ? this.#possibleEnd(text) : 0;
    if (start >= MIN_PART_LENGTH) {
      const part = text.slice(0, start);
      const { name } = this.#forms.find(({ value }) => value.endsWith(part))!;
      places.push({ from: 0, to: start, name });
    }
    return joined(places);
  }

  /** Length of the longest beginning of a text that is the end of a secret. */
  #possibleEnd(text: string): number {
    this.#backwards ??= new SecretFinder(this.#forms.map(({ name, value }) => secretOf(name, reversed(value))));
    const longest = this.#forms.reduce((length, { value }) => Math.max(length, value.length), 0);
    return this.#backwards.possibleStart(this.#unitsOf(reversed(text.slice(0, longest))));
  }

  /** Valid until the next call. */
  #unitsOf(text: string): Uint16Array {
    if (this.#units.length < text.length) this.#units = new Uint16Array(text.length * 2);
    for (let at = 0; at < text.length; at++) this.#units[at] = text.charCodeAt(at);
    return this.#units.subarray(0, text.length);
  }
}

function secretOf(name: string, form: string): Secret {
  return { name, units: Uint16Array.from(form, (_, at) => form.charCodeAt(at)) };
}

/** A place takes in those that overlap or touch it, so that no part of a secret is left between two of them. */
function joined(places: Place[]): Place[] {
  const all: Place[] = [];
  for (const place of places.sort(byPosition)) {
    const last = all.at(-1);
    if (last && place.from <= last.to) last.to = Math.max(last.to, place.to);
    else all.push({ ...place });
  }
  return all;
}

/** Unit by unit, not character by character. */
function reversed(text: string): string {
  return text.split('').reverse().join('');
}
