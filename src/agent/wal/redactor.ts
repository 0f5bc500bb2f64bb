import type { Place } from '../../record/output/secret-finder.ts';
import { LEFT_OUT } from '../../tools/left-out.ts';
import { MaskedStream } from './redaction/masked-stream.ts';
import { markerOf, SecretSearch, type SecretValue } from './redaction/secret-search.ts';

/** Replaces secrets by their names, in all spellings of `secretForms`. */
export interface Redactor {
  /** True while there is no secret. */
  readonly isEmpty: boolean;
  /** Secrets that became known later; they count from now on, also in streams that have begun. */
  add(secrets: readonly SecretValue[]): void;
  mask(text: string): string;
  /** Masks texts and names of members, at any depth. The same reference if nothing changed. */
  maskJson<T>(value: T): T;
  /** For a text that arrives in pieces. */
  stream(): MaskedStream;
}

export function createRedactor(secrets: readonly SecretValue[]): Redactor {
  const known = new Map<string, SecretValue>();
  let search: SecretSearch | null = null;
  let isCurrent = true;

  function add(more: readonly SecretValue[]): void {
    for (const secret of more) {
      if (secret.value === '' || known.has(secret.value)) continue;
      known.set(secret.value, secret);
      isCurrent = false;
    }
  }

  function current(): SecretSearch | null {
    if (!isCurrent) search = new SecretSearch([...known.values()]);
    isCurrent = true;
    return search;
  }

  function mask(text: string): string {
    const found = current();
    if (found === null || text === '') return text;
    if (LEFT_OUT.test(text)) return maskCut(text, found);
    return masked(text, found.search({ text, before: '', isOpen: false }).places);
  }

  add(secrets);
  return {
    get isEmpty() {
      return known.size === 0;
    },
    add,
    mask,
    maskJson: (value) => (known.size === 0 ? value : maskValue(value, mask)),
    stream: () => new MaskedStream(current),
  };
}

/** Where a part of a text was left out, a part of a secret may have stayed. */
function maskCut(text: string, search: SecretSearch): string {
  const notes = [...text.matchAll(new RegExp(LEFT_OUT, 'g'))].map(([note]) => note);
  const pieces = text.split(LEFT_OUT);
  return pieces
    .map((piece, at) => {
      const places = search.searchCut(piece, { before: at > 0, after: at < notes.length });
      return masked(piece, places) + (notes[at] ?? '');
    })
    .join('');
}

function masked(text: string, places: readonly Place[]): string {
  if (places.length === 0) return text;
  let result = '';
  let at = 0;
  for (const { from, to, name } of places) {
    result += text.slice(at, from) + markerOf(name);
    at = to;
  }
  return result + text.slice(at);
}

function maskValue<T>(value: T, mask: (text: string) => string): T;
function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => maskValue(item, mask));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const masked = entries.map(([name, member]) => [mask(name), maskValue(member, mask)] as const);
  const isSame = masked.every(([name, member], at) => name === entries[at]![0] && member === entries[at]![1]);
  return isSame ? value : fromEntries(masked);
}

/** Two names may have become one; no member is lost. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const members = new Map<string, unknown>();
  for (const [name, member] of entries) {
    let free = name;
    for (let number = 2; members.has(free); number++) free = `${name} (${number})`;
    members.set(free, member);
  }
  return Object.fromEntries(members);
}
