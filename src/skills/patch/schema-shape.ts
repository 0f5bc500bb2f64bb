/** What of a JSON Schema can be shown to a person or a model: its keywords after references and `allOf` are resolved. */
export interface SchemaShape {
  /** The subschema itself, to recognise recursion. */
  of: object | boolean;
  /** Empty if any type will do. */
  types: readonly string[];
  description: string | null;
  /** Keywords about one value: `enum`, `const`, `format`, limits, `default`, `examples`. */
  keywords: Readonly<Record<string, unknown>>;
  properties: ReadonlyMap<string, unknown>;
  required: ReadonlySet<string>;
  /** The schema of each further property; undefined if nothing is said about them. */
  additional: unknown;
  items: unknown;
  prefixItems: readonly unknown[];
  /** `anyOf` and `oneOf`, if they have several members besides null. A single one is part of the shape. */
  variants: readonly unknown[];
}

type Keywords = Readonly<Record<string, unknown>>;

/** Hostile schemas have chains and trees of references without end. */
const MAX_PARTS = 64;
const MAX_VARIANTS = 8;
const IMPLIED: readonly [string, string][] = [
  ['properties', 'object'],
  ['required', 'object'],
  ['additionalProperties', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
];

/** Never throws, whatever the schema is. References to other documents are not followed. */
export function shapeOf(schema: unknown, root: unknown): SchemaShape {
  const parts = partsOf(schema, root);
  const keywords: Record<string, unknown> = Object.assign({}, ...parts.toReversed());
  const stated = parts
    .map(({ type }) => asList(type).filter((name) => typeof name === 'string'))
    .find((all) => all.length > 0);
  const implied = IMPLIED.filter(([key]) => Object.hasOwn(keywords, key)).map(([, type]) => type);
  const choices = parts.flatMap(choicesOf);
  const orNull = choices.some((members) => members.some(isNull)) ? ['null'] : [];
  const { items, prefixItems } = keywords;
  return {
    of: typeof schema === 'object' && schema !== null ? (resolved(schema, root) as object) : Boolean(schema),
    types: [...new Set([...(stated ?? implied.slice(0, 1)), ...orNull])],
    description: parts.map(({ description }) => description).find((text) => typeof text === 'string') ?? null,
    keywords,
    properties: new Map(parts.flatMap(({ properties }) => Object.entries(asMap(properties)))),
    required: new Set(parts.flatMap(({ required }) => asList(required)).filter((key) => typeof key === 'string')),
    additional:
      asMap(keywords.additionalProperties) === keywords.additionalProperties
        ? keywords.additionalProperties
        : undefined,
    items: Array.isArray(items) ? undefined : items,
    prefixItems: asList(Array.isArray(items) ? items : prefixItems),
    variants: choices.map(withoutNull).flatMap((members) => (members.length > 1 ? members.slice(0, MAX_VARIANTS) : [])),
  };
}

/** Whether a value of the schema is always an object. */
export function isObjectSchema(schema: unknown, root: unknown = schema, depth = 0): boolean {
  const { types, variants } = shapeOf(schema, root);
  if (types.length > 0) return types.length === 1 && types[0] === 'object';
  return depth < 8 && variants.length > 0 && variants.every((variant) => isObjectSchema(variant, root, depth + 1));
}

/** The schema, what its references lead to, and the members of its `allOf`; the outermost first. */
function partsOf(schema: unknown, root: unknown): Keywords[] {
  const parts: Keywords[] = [];
  const seen = new Set<unknown>();
  const waiting = [schema];
  for (let next = waiting.shift(); next !== undefined && seen.size < MAX_PARTS; next = waiting.shift()) {
    const part = asMap(next);
    if (part !== next || seen.has(next)) continue;
    seen.add(next);
    parts.push(part);
    if (typeof part.$ref === 'string') waiting.push(targetOf(part.$ref, root));
    waiting.push(...asList(part.allOf).slice(0, MAX_PARTS));
    for (const members of choicesOf(part).map(withoutNull)) if (members.length === 1) waiting.push(members[0]);
  }
  return parts;
}

/** Where references lead in the end, so that two ways to one schema are the same. */
function resolved(schema: unknown, root: unknown): unknown {
  let at = schema;
  for (let hops = 0; hops < MAX_PARTS; hops++) {
    const { $ref } = asMap(at);
    const target = typeof $ref === 'string' ? targetOf($ref, root) : undefined;
    if (asMap(target) !== target) return at;
    at = target;
  }
  return at;
}

/** Undefined for a reference to another document, and for one that leads nowhere. */
function targetOf(reference: string, root: unknown): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Keywords)[key];
  }
  return at;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function choicesOf({ anyOf, oneOf }: Keywords): (readonly unknown[])[] {
  return [asList(anyOf), asList(oneOf)].filter((members) => members.length > 0);
}

function withoutNull(members: readonly unknown[]): readonly unknown[] {
  return members.filter((member) => !isNull(member));
}

function isNull(schema: unknown): boolean {
  const { type, const: only } = asMap(schema);
  return type === 'null' || only === null;
}

function asMap(value: unknown): Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Keywords) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : typeof value === 'string' ? [value] : [];
}
