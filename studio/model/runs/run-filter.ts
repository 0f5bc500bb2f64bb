import { type RunStatus, type RunView, runStatusSchema } from '../../../src/protocol/index.ts';

/** Filters of the list of runs. */
export interface RunFilter {
  status: RunStatus | null;
  engine: string | null;
  /** Only runs with a pending approval. */
  hasApproval: boolean;
  /** Words that the server searches in prompts, commands and conversations. */
  words: string;
  /** A filter that is not known. */
  unknown: string | null;
}

export const FILTER_WORDS = ['status:', 'engine:', 'has:approval'] as const;

/** Parses the filter box. Of two filters of one kind the last one applies. */
export function parseRunFilter(text: string): RunFilter {
  const filter: RunFilter = { status: null, engine: null, hasApproval: false, words: '', unknown: null };
  const words: string[] = [];
  for (const part of text.split(/\s+/).filter(Boolean)) {
    const [, name, value] = /^(status|engine|has):(.*)$/.exec(part) ?? [];
    if (name === undefined || value === undefined) words.push(part);
    else if (!applyFilter(filter, name, value)) filter.unknown = part;
  }
  filter.words = words.join(' ');
  return filter;
}

/** Whether a run that was not listed may belong to the list; only the server can search words. */
export function mayMatch(filter: RunFilter, run: RunView, pending: ReadonlyMap<string, number>): boolean {
  if (filter.words !== '' || filter.unknown !== null) return false;
  if (filter.hasApproval && !pending.has(run.run_id)) return false;
  return (filter.status ?? run.status) === run.status && (filter.engine ?? run.engine) === run.engine;
}

/** False if the value is not valid for that filter. A filter that is still being typed does not count yet. */
function applyFilter(filter: RunFilter, name: string, value: string): boolean {
  if (value === '') return true;
  if (name === 'engine') filter.engine = value;
  else if (name === 'has') filter.hasApproval = value === 'approval';
  else filter.status = runStatusSchema.safeParse(value).data ?? null;
  return name === 'engine' || (name === 'has' ? filter.hasApproval : filter.status !== null);
}
