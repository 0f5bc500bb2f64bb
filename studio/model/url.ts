import { rawStreamSchema } from '../../src/protocol/index.ts';
import type { Selection } from './selection.ts';
import { FIRST_VIEW, TABS, type TimeWindow, type View } from './view.ts';

/** The view that a link describes. Invalid parts are ignored. */
export function parseUrl(search: string): View {
  const given = new URLSearchParams(search);
  const tab = TABS.find((name) => name === given.get('tab'));
  const selection = parseSelection(given);
  const time = number(given.get('t'));
  return {
    selection,
    time,
    window: parseWindow(given),
    following: given.get('follow') !== '0' && selection === null && time === null,
    tab: tab ?? (selection?.kind === 'bytes' ? 'raw' : selection?.kind === 'file' ? 'files' : FIRST_VIEW.tab),
    attempt: number(given.get('attempt'), 1),
    filter: given.get('q') ?? '',
  };
}

/** The inverse; defaults are left out. Begins with `?`, or is empty. */
export function formatUrl(view: View): string {
  const parameters: [string, string][] = [];
  if (view.attempt !== null) parameters.push(['attempt', String(view.attempt)]);
  if (view.selection) parameters.push(formatSelection(view.selection));
  if (view.time !== null) parameters.push(['t', String(Math.round(view.time))]);
  if (view.tab !== FIRST_VIEW.tab) parameters.push(['tab', view.tab]);
  if (view.filter !== '') parameters.push(['q', view.filter]);
  if (view.window)
    parameters.push(['from', String(Math.round(view.window.from))], ['to', String(Math.round(view.window.to))]);
  if (!view.following && view.selection === null && view.time === null) parameters.push(['follow', '0']);
  // A byte range is easier to read with an unescaped colon, which is as safe.
  const query = new URLSearchParams(parameters).toString().replaceAll('%3A', ':');
  return query === '' ? '' : `?${query}`;
}

function parseSelection(given: URLSearchParams): Selection | null {
  const seq = number(given.get('seq'), 1);
  if (seq !== null) return { kind: 'event', seq };
  const raw = /^([a-z]+)\.(\d{1,9}):(\d{1,15})-(\d{1,15})$/.exec(given.get('raw') ?? '');
  const stream = rawStreamSchema.safeParse(raw?.[1]);
  if (raw && stream.success && Number(raw[3]) <= Number(raw[4]) && Number(raw[2]) > 0) {
    const [attempt_number, byte_from, byte_to] = raw.slice(2).map(Number) as [number, number, number];
    return { kind: 'bytes', range: { attempt_number, stream: stream.data, byte_from, byte_to } };
  }
  const path = given.get('file');
  if (path) return { kind: 'file', path };
  const id = given.get('approval');
  return id ? { kind: 'approval', id } : null;
}

function formatSelection(selection: Selection): [string, string] {
  switch (selection.kind) {
    case 'event':
      return ['seq', String(selection.seq)];
    case 'bytes': {
      const { stream, attempt_number, byte_from, byte_to } = selection.range;
      return ['raw', `${stream}.${attempt_number}:${byte_from}-${byte_to}`];
    }
    case 'file':
      return ['file', selection.path];
    case 'approval':
      return ['approval', selection.id];
  }
}

function parseWindow(given: URLSearchParams): TimeWindow | null {
  const [from, to] = [number(given.get('from')), number(given.get('to'))];
  return from === null || to === null || from >= to ? null : { from, to };
}

function number(text: string | null, least = 0): number | null {
  if (text === null || !/^\d{1,15}$/.test(text) || Number(text) < least) return null;
  return Number(text);
}
