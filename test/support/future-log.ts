import { isObject } from '../../src/engines/json-value.ts';

type Random = () => number;

/** Values of a tool, a model or the user, which an engine passes on: a new engine version adds no fields there. */
const PASSED_ON: ReadonlySet<string> = new Set([
  'action',
  'actions',
  'agents_states',
  'answers',
  'args',
  'arguments',
  'byName',
  'changes',
  'details',
  'input',
  'items',
  'metadata',
  'modelUsage',
  'models',
  'output',
  'parameters',
  'partialResult',
  'permission_denials',
  'result',
  'results',
  'rule',
  'structured_output',
  'suggested_rule',
  'todos',
  'toolCall',
  'tool_use_result',
]);
const NEW_NAMES = ['zz_added', 'zzAdded', 'zz-added', 'constructor', '__proto__', 'toString', 'hasOwnProperty'];
const NEW_VALUES = [
  'null',
  'true',
  '7',
  '-0.5',
  '""',
  '"added"',
  '[]',
  '{}',
  '[1,{"a":"b"}]',
  '{"type":"text","text":"added"}',
];
const NEW_TYPES = ['zz.added', 'zz_added', 'constructor', '__proto__', 'toString', ''];

/** Events of known types with an unknown kind of content. */
const NEW_KINDS: Readonly<Record<string, readonly string[]>> = {
  claude: ['{"type":"system","subtype":"zz_added"}', '{"type":"stream_event","event":{"type":"zz_added"}}'],
  qwen: ['{"type":"system","subtype":"zz_added"}', '{"type":"stream_event","event":{"type":"zz_added"}}'],
  codex: ['{"type":"item.completed","item":{"id":"item_900","type":"zz_added"}}'],
  gemini: ['{"type":"message","role":"zz_added","content":"added"}'],
  pi: [
    '{"type":"message_start","message":{"role":"zz_added","content":[]}}',
    '{"type":"message_update","assistantMessageEvent":{"type":"zz_added"}}',
  ],
};

const EXECUTION_INFO = /(?<=<Execution Info>\s*)\{.*?\}(?=\s*<\/Execution Info>)/gs;

export interface FutureLog {
  log: Buffer;
  /** Lines, or elements of an array, that were added. */
  added: ReadonlySet<string>;
}

/** A log as a later engine version might print it: more fields, more event types, keys in another order. */
export function futureLog(engine: string, log: Buffer, random: Random): FutureLog {
  const text = log.toString('utf8');
  if (engine === 'iflow') return { log: Buffer.from(text.replace(EXECUTION_INFO, laterInfo)), added: new Set() };
  const list = listFrom(text);
  if (list) return futureList(engine, list, { text, random });
  const whole = objectFrom(text);
  if (whole) {
    const later = printLater(whole, random);
    // One document, on several lines or on one, as it was printed.
    const printed = text.trim().includes('\n') ? JSON.stringify(JSON.parse(later), null, 2) : later;
    return { log: Buffer.from(printed + (/\s*$/.exec(text)?.[0] ?? '')), added: new Set() };
  }
  const added = new Set<string>();
  const lines = text.split(/(?<=\n)/).flatMap((line) => {
    const event = objectFrom(line);
    if (!event) return [line];
    const end = /\r?\n?$/.exec(line)![0];
    const next = `${printLater(event, random)}${end}`;
    if (random() > 0.2) return [next];
    const extra = newEvent(engine, random);
    added.add(extra);
    return [`${extra}\n`, next];
  });
  return { log: Buffer.from(lines.join('')), added };

  /** Everything but prose. */
  function laterInfo(info: string): string {
    return JSON.stringify(JSON.parse(printLater(JSON.parse(info), random)), null, 2);
  }
}

/** All events as one array, on several lines or on one, as it was printed. */
function futureList(
  engine: string,
  list: readonly unknown[],
  { text, random }: { text: string; random: Random },
): FutureLog {
  const added = new Set<string>();
  const inLines = text.trim().includes('\n');
  const print = (json: string) => (inLines ? JSON.stringify(JSON.parse(json), null, 2).replaceAll('\n', '\n  ') : json);
  const printed = list.flatMap((event) => {
    const next = print(printLater(event, random));
    if (random() > 0.2) return [next];
    const extra = print(newEvent(engine, random));
    added.add(extra);
    return [extra, next];
  });
  const log = inLines ? `[\n  ${printed.join(',\n  ')}\n]` : `[${printed.join(',')}]`;
  return { log: Buffer.from(log + (/\s*$/.exec(text)?.[0] ?? '')), added };
}

function newEvent(engine: string, random: Random): string {
  const kinds = NEW_KINDS[engine] ?? [];
  if (kinds.length > 0 && random() < 0.5) return pick(kinds, random);
  return `{"type":${JSON.stringify(pick(NEW_TYPES, random))},"zz_about":${pick(NEW_VALUES, random)}}`;
}

/** JSON text, because an object in memory cannot have every name as a field. */
function printLater(value: unknown, random: Random): string {
  if (Array.isArray(value)) return `[${value.map((inner) => printLater(inner, random)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, inner]) =>
      `${JSON.stringify(name)}:${PASSED_ON.has(name) ? JSON.stringify(inner) : printLater(inner, random)}`,
  );
  if (random() < 0.4) fields.push(`${JSON.stringify(pick(NEW_NAMES, random))}:${pick(NEW_VALUES, random)}`);
  return `{${shuffled(fields, random).join(',')}}`;
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const keyed = values.map((value) => ({ value, key: random() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value);
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)]!;
}

function listFrom(text: string): readonly unknown[] | null {
  if (!text.trimStart().startsWith('[')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null; // Not JSON, or incomplete.
  }
}

function objectFrom(text: string): Readonly<Record<string, unknown>> | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // Not JSON, or incomplete.
  }
}
