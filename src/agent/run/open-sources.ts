import type { SourceTools } from '../../protocol/index.ts';
import {
  type OpenedSource,
  type OpenSourceOptions,
  type SourceTool,
  type SpecText,
  type Tool,
  type ToolSource,
  tool,
} from '../../tools/index.ts';

const OPEN_TIMEOUT_MS = 60_000;
/** How long a source that was told to stop gets for it. Ending every process of a server can take a while. */
const STOP_GRACE_MS = 30_000;
const MAX_PROBLEM_CHARS = 2000;
/** Of all tools of all sources: the log has them in one line. */
const MAX_TOTAL_CHARS = 4 * 1024 * 1024;

/** The sources of a run, with what they have. */
export interface OpenedSources {
  tools: Tool[];
  /** For the log: each source with its tools, or with what was wrong. */
  logged: SourceTools[];
  /** Resolves when nothing of them is left. Never rejects. */
  close(): Promise<void>;
}

export interface OpenSourcesOptions {
  /** Names that other tools have. */
  taken: readonly string[];
  stopGraceMs?: number;
}

/** Opens all sources at once. One that fails, or takes too long, has no tools; the others do not wait for it any longer. */
export async function openSources(
  sources: readonly ToolSource[],
  { taken, stopGraceMs = STOP_GRACE_MS, ...options }: OpenSourceOptions & OpenSourcesOptions,
): Promise<OpenedSources> {
  const opened = await Promise.all(sources.map((source) => openSource(source, options, stopGraceMs)));
  const names = new Set(taken);
  const tools: Tool[] = [];
  let chars = 0;
  const logged = opened.map(({ source, found, problem }): SourceTools => {
    const problems = problem === undefined ? [] : [problem];
    const listed: SourceTools['tools'] = [];
    for (const one of found?.tools ?? []) {
      const made = toolOf(source.name, one);
      if (typeof made === 'string') problems.push(made);
      else if (names.has(made.name)) problems.push(`${made.name}: another tool has this name`);
      else if (chars + sizeOf(made) > MAX_TOTAL_CHARS) problems.push(`${made.name}: there are too many tools`);
      else {
        chars += sizeOf(made);
        names.add(made.name);
        tools.push(made);
        const { name, description, parameters } = made;
        const changed = one.changed?.length ? { changed: [...one.changed] } : {};
        listed.push({ name, description, parameters: parameters as never, ...changed });
      }
    }
    const shown = problems.length === 0 ? {} : { problem: problems.join('; ').slice(0, MAX_PROBLEM_CHARS) };
    return { name: source.name, tools: listed, ...shown };
  });
  return {
    tools,
    logged,
    close: async () => void (await Promise.allSettled(opened.map(({ found }) => found?.close()))),
  };
}

function sizeOf({ description, parameters }: Tool): number {
  return description.length + JSON.stringify(parameters).length;
}

interface Opened {
  source: ToolSource;
  found?: OpenedSource;
  problem?: string | undefined;
}

async function openSource(
  source: ToolSource,
  { signal, ...options }: OpenSourceOptions,
  stopGraceMs: number,
): Promise<Opened> {
  const { openTimeoutMs = OPEN_TIMEOUT_MS } = source;
  const stop = new AbortController();
  const cancel = () => stop.abort(signal.reason);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const timer = setTimeout(() => stop.abort(new Error(`it took longer than ${openTimeoutMs} ms`)), openTimeoutMs);
  const opening = Promise.resolve().then(() => source.open({ ...options, signal: stop.signal }));
  try {
    const found = await Promise.race([opening, abandoned(stop.signal, stopGraceMs)]);
    return { source, found, problem: found.problem };
  } catch (error) {
    // One that comes too late is not left open.
    opening.then((late) => late.close()).catch(() => {});
    const problem = error instanceof Error ? error.message : String(error);
    return { source, problem: signal.aborted ? 'the run was cancelled before it was open' : problem };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

function abandoned(signal: AbortSignal, stopGraceMs: number): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => setTimeout(() => reject(signal.reason), stopGraceMs).unref();
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** As any other tool, with what every tool of a source is. A text says why it cannot be one. */
function toolOf(
  source: string,
  { name, description, parameters, ...rest }: Omit<SourceTool, 'changed'>,
): Tool | string {
  const { current, accept } = rest;
  try {
    const made = tool<unknown>({
      name,
      description,
      input: parameters,
      untrustedSchema: true,
      execute: (input, context) => rest.execute(input, context),
    });
    return Object.freeze({
      ...made,
      source,
      ...(current && { current: async (signal: AbortSignal) => await current.call(rest, signal) }),
      ...(accept && { accept: async (spec: SpecText) => await accept.call(rest, spec) }),
    }) as Tool;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The tools of sources as a log has them, for a replay, which runs nothing. */
export function recordedSourceTools(sources: readonly SourceTools[], taken: readonly string[]): Tool[] {
  const execute = () => Promise.reject(new Error('a replay runs nothing'));
  return sources.flatMap(({ name: source, tools }) =>
    tools.flatMap(({ name, description, parameters }) => {
      const made = taken.includes(name)
        ? ''
        : toolOf(source, { name, description, parameters: parameters as never, execute });
      return typeof made === 'string' ? [] : [made];
    }),
  );
}
