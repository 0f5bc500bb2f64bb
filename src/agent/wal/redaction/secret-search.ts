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
const WORD = /[\p{L}\p{N}_]/u;

/** Searches texts for all forms of all secrets at once. */
export class SecretSearch {
  readonly #finder: SecretFinder;
  readonly #words: SecretFinder | null;
  #units = new Uint16Array(1024);

  constructor(secrets: readonly SecretValue[]) {
    const long = secrets.filter(({ value }) => value.length >= MIN_LENGTH);
    const short = secrets.filter(({ value }) => value.length < MIN_LENGTH && value !== '');
    this.#finder = new SecretFinder(
      long.flatMap(({ name, value }) => secretForms(value).map((form) => secretOf(name, form))),
    );
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
