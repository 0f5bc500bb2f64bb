import type { SchemaField } from './schema-field.ts';

/** What was typed so far, in the shape of its field. Everything that is typed is text. */
export type Draft = string | readonly Draft[] | { readonly [name: string]: Draft };

export type DraftMistake = 'needed' | 'notNumber' | 'notWhole' | 'notJson';

/** Mistakes by the JSON Pointer of their field; that of the whole value is empty. */
export type DraftMistakes = Readonly<Record<string, DraftMistake>>;

/** The draft to begin with: the defaults of the schema. */
export function emptyDraft(field: SchemaField, value: unknown = field.preset): Draft {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? value : '';
    case 'number':
      return typeof value === 'number' ? String(value) : '';
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : '';
    case 'choice': {
      const index = field.options.findIndex((option) => JSON.stringify(option) === JSON.stringify(value));
      return index < 0 ? '' : String(index);
    }
    case 'object': {
      const known = isRecord(value) ? value : {};
      return Object.fromEntries(
        field.fields.map((one) => [
          one.name,
          emptyDraft(one, Object.hasOwn(known, one.name) ? known[one.name] : one.preset),
        ]),
      );
    }
    case 'list':
      return Array.isArray(value) ? value.map((item) => emptyDraft(field.item, item)) : [];
    case 'json':
      return value === undefined ? '' : JSON.stringify(value, null, 2);
  }
}

/** The value of a draft; undefined if nothing was entered. Some mistakes only the server can find. */
export function valueOfDraft(field: SchemaField, draft: Draft): { value: unknown; mistakes: DraftMistakes } {
  const mistakes: Record<string, DraftMistake> = {};
  return { value: read(field, draft, { at: '', mistakes }), mistakes };
}

interface Reading {
  at: string;
  mistakes: Record<string, DraftMistake>;
}

function read(field: SchemaField, draft: Draft, reading: Reading): unknown {
  const value = readGiven(field, draft, reading);
  if (value === undefined && field.isRequired) reading.mistakes[reading.at] ??= 'needed';
  return value;
}

function readGiven(field: SchemaField, draft: Draft, { at, mistakes }: Reading): unknown {
  switch (field.kind) {
    case 'text':
      return draft === '' ? undefined : draft;
    case 'number':
      return readNumber(field, String(draft).trim().replace('−', '-'), { at, mistakes });
    case 'boolean':
      // A box that has to be there is not checked at first.
      return draft === '' ? (field.isRequired ? false : undefined) : draft === 'true';
    case 'choice':
      return draft === '' ? undefined : field.options[Number(draft)];
    case 'object':
      return readObject(field, draft as Readonly<Record<string, Draft>>, { at, mistakes });
    case 'list': {
      const items = draft as readonly Draft[];
      if (items.length === 0 && !field.isRequired) return undefined;
      return items.map((item, index) => read(field.item, item, { at: `${at}/${index}`, mistakes }));
    }
    case 'json':
      return readJson(String(draft), { at, mistakes });
  }
}

/** An optional object in which nothing was entered is left out. */
function readObject(
  field: SchemaField & { kind: 'object' },
  drafts: Readonly<Record<string, Draft>>,
  { at, mistakes }: Reading,
): unknown {
  const found: Record<string, DraftMistake> = {};
  const entries = field.fields
    .map((one) => [one.name, read(one, drafts[one.name]!, { at: `${at}/${pointerPart(one.name)}`, mistakes: found })])
    .filter(([, value]) => value !== undefined);
  const isTouched = field.fields.some((one) => JSON.stringify(drafts[one.name]) !== JSON.stringify(emptyDraft(one)));
  if (!field.isRequired && !isTouched) return undefined;
  Object.assign(mistakes, found);
  return Object.fromEntries(entries);
}

function readNumber({ whole }: { whole: boolean }, text: string, { at, mistakes }: Reading): number | undefined {
  if (text === '') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) mistakes[at] = 'notNumber';
  else if (whole && !Number.isInteger(value)) mistakes[at] = 'notWhole';
  return value;
}

function readJson(text: string, { at, mistakes }: Reading): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    mistakes[at] = 'notJson';
    return null;
  }
}

export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
