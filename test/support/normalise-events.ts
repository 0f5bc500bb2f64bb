import type { RaspDraft, RaspEvent } from '../../src/protocol/index.ts';

interface Shown {
  type: string;
  data: unknown;
  correlation: unknown;
}

function append(last: Shown, next: Shown): void {
  const text = (last.data as { text: string }).text + (next.data as { text: string }).text;
  (last.data as { text: string }).text = last.type.startsWith('raw.') ? withoutChance(text) : text;
}

/** Texts common to two attempts are kept once. */
function joined(list: readonly Shown[]): Shown[] {
  const all: Shown[] = [];
  for (const shown of list) {
    const last = all.at(-1);
    if (last && JSON.stringify(last) === JSON.stringify(shown)) continue;
    if (last && isSameMessage(last, shown)) append(last, shown);
    else all.push(shown);
  }
  return all;
}

/**
 * The events that two runs of a scenario have in common: without times, paths and ids, which differ between runs. Each
 * stream separately, because the order of two streams is random.
 */
export function normaliseEvents(
  events: readonly (RaspEvent | RaspDraft)[],
  replacements: readonly (readonly [string, string])[],
) {
  const names = new Map<string, string>();
  const streams: Record<string, Shown[]> = { tacho: [], stdout: [], stderr: [], pty: [] };
  const attemptOf = new Map<Shown, number | undefined>();
  for (const one of events) {
    const { event, data, source, correlation } = one;
    const attempt = 'attempt_number' in one ? one.attempt_number : undefined;
    // The request depends on the machine: its variables, its limits. Other tests compare it.
    if (event.type === 'lifecycle.recording.checkpoint' || event.type === 'lifecycle.run.requested') continue;
    if (event.type.startsWith('raw.') && isNoise(withoutChance((data as { text: string }).text))) continue;
    if (event.type === 'lifecycle.run.status' && QUIET.test((data as { phase?: string }).phase ?? '')) continue;
    const list = streams[source.stream ?? 'tacho']!;
    const cleaned = event.type.startsWith('raw.') ? { text: withoutChance((data as { text: string }).text) } : data;
    const shown = {
      type: event.type,
      data: clean(steady(cleaned)),
      correlation: clean(tiesOf(event.type, correlation)),
    };
    const last = list.at(-1);
    // The number of pieces of an attempt's text is random, so each attempt is joined first. Before the next check: a line
    // that is printed twice may be in one piece or in two.
    if (last && attemptOf.get(last) === attempt && isSameMessage(last, shown)) append(last, shown);
    else if (last && JSON.stringify(last) === JSON.stringify(shown))
      continue; // The number of retries is random too.
    else list.push(shown);
    attemptOf.set(list.at(-1)!, attempt);
  }
  return Object.fromEntries(Object.entries(streams).map(([name, list]) => [name, joined(list)]));

  function clean(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return cleanText(value, key);
    if (typeof value === 'number') return /(_ms|_at|_delay|time)$/i.test(key) ? 0 : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => clean(inner, key));
    // The size of a folder depends on the file system.
    const folder = (value as { kind?: unknown }).kind === 'directory' ? { size: 0 } : {};
    return Object.fromEntries(
      Object.entries({ ...value, ...folder }).map(([name, inner]) => [name, clean(inner, name)]),
    );
  }

  function cleanText(text: string, key: string): string {
    if (/^(message_id|call_id|session_id|parent|sha256|chain)$/.test(key)) return named(text);
    if (/_at$/.test(key)) return '<time>';
    let cleaned = text;
    for (const [from, to] of replacements) cleaned = cleaned.replaceAll(from, to);
    return cleaned
      .replaceAll(/\d{8}T\d{6}-[a-z]+-[0-9a-f]{8}/g, '<run>')
      .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}[:-]\d{2}[:-]\d{2}[.-]\d{3}Z/g, '<time>')
      .replaceAll(/env\/tmp\/[0-9a-f]{8}\.\d+/g, '<tmp>')
      .replaceAll(/(node:internal\/[\w/]+:)\d+:\d+/g, '$1<place>')
      .replaceAll(/127\.0\.0\.1:\d+/g, '<server>')
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>')
      .replaceAll(/\b\d+(\.\d+)?\s?ms\b/g, '<n>ms')
      .replaceAll(/(chunk-[A-Z0-9]+\.js:)\d+:\d+/g, '$1<place>');
  }

  /** The same id gets the same name everywhere. */
  function named(id: string): string {
    const known = names.get(id);
    if (known) return known;
    const name = `<id ${names.size + 1}>`;
    names.set(id, name);
    return name;
  }
}

/** `parent_seq` depends on how the streams were read; the call that changed a file may depend on the time. */
function tiesOf(type: string, { parent_seq: _seq, call_id, ...ties }: RaspEvent['correlation']): object {
  return call_id === undefined || type.startsWith('artifact.') ? ties : { ...ties, call_id };
}

function steady(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data;
  const { changed_by: _call, ...rest } = data as Record<string, unknown>;
  if (rest.source !== 'tacho' || rest.state === undefined) return rest;
  // Which of the two signals ends a program that tacho stops depends on the load of the machine.
  const { exit_code: _code, signal: _signal, ...ended } = rest;
  return ended;
}

/** Intermediate steps, reported at most once a second: which ones is random. */
const QUIET = /^(stream_event|system)\./;

/** How a message or many raw lines are split into events depends on timing; their joined text does not. */
function isSameMessage(last: Shown, next: Shown): boolean {
  if (last.type !== next.type) return false;
  if (last.type.startsWith('raw.')) {
    return true;
  }
  const id = (shown: Shown) => (shown.data as { message_id?: string }).message_id;
  return last.type === 'agent.message.delta' && id(last) === id(next);
}

/** gemini sometimes prints the duration of its own start, and qwen that it is being ended. */
function withoutChance(text: string): string {
  return text.replaceAll(/^(?:\[STARTUP\].*|Operation cancelled\.)\r?\n/gm, '');
}

/** Terminal resets and the like, which an engine may or may not print, depending on how quickly it ends. */
function isNoise(text: string): boolean {
  return text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007]*\u0007|\s/g, '') === '';
}
