import type { ToolResult } from '../../protocol/index.ts';
import type { HookOutcome, HookRunner } from '../loop/effects.ts';

/** What a hook returns: nothing, other arguments or another result, or a refusal. */
export type HookAnswer<Value> = undefined | { change: Value } | { refuse: string };

/** Hooks run in their order. A call whose hook throws, hangs or returns something else is not carried out. */
export interface ToolHooks {
  /** Before a call is judged by the policy. May change its arguments or refuse it. */
  beforeTool?: readonly NamedHook<BeforeTool>[];
  /** After a call. May change its result or withhold it. */
  afterTool?: readonly NamedHook<AfterTool>[];
  /** A hook that takes longer has failed; 10 seconds by default. */
  timeoutMs?: number;
}

/** Gets the arguments as the model wrote them. */
export type BeforeTool = (
  call: { id: string; name: string; input: unknown },
  signal: AbortSignal,
) => Awaitable<HookAnswer<unknown>>;
/** Gets the result as the tool returned it. */
export type AfterTool = (
  call: { id: string; name: string; result: ToolResult },
  signal: AbortSignal,
) => Awaitable<HookAnswer<ToolResult>>;

type Awaitable<T> = T | Promise<T>;
type NamedHook<Hook> = Hook | { name: string; hook: Hook };

const TIMEOUT_MS = 10_000;

/** Runs hooks one after the other. One that throws or hangs has failed, and a call whose hook failed is not carried out. */
export function createHookRunner({ beforeTool = [], afterTool = [], timeoutMs = TIMEOUT_MS }: ToolHooks): HookRunner {
  const before = beforeTool.map((hook, index) => named(hook, `beforeTool[${index}]`));
  const after = afterTool.map((hook, index) => named(hook, `afterTool[${index}]`));
  return {
    isEmpty: before.length + after.length === 0,
    before: async ({ id, name, input }, signal) =>
      await runAll(before, input, (hook, value) =>
        bounded((own) => hook({ id, name, input: value }, own), signal, timeoutMs),
      ),
    after: async ({ id, name, result }, signal) =>
      await runAll(after, result, (hook, value) =>
        bounded((own) => hook({ id, name, result: value }, own), signal, timeoutMs),
      ),
  };
}

/** Stops at the first that does not let the call pass. */
async function runAll<Hook, Value>(
  hooks: readonly { name: string; hook: Hook }[],
  first: Value,
  run: (hook: Hook, value: Value) => Promise<HookAnswer<Value>>,
): Promise<HookOutcome[]> {
  const outcomes: HookOutcome[] = [];
  let value = first;
  for (const { name, hook } of hooks) {
    const outcome = await outcomeOf(name, () => run(hook, value));
    if (!outcome) continue;
    outcomes.push(outcome);
    if (outcome.outcome !== 'changed') break;
    value = outcome.value as Value;
  }
  return outcomes;
}

async function outcomeOf(hook: string, run: () => Promise<HookAnswer<unknown>>): Promise<HookOutcome | null> {
  let answer: HookAnswer<unknown>;
  try {
    answer = await run();
  } catch (error) {
    return { hook, outcome: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
  if (answer === undefined) return null;
  if (typeof answer === 'object' && answer !== null) {
    if ('refuse' in answer && typeof answer.refuse === 'string')
      return { hook, outcome: 'refused', reason: answer.refuse };
    if ('change' in answer) return { hook, outcome: 'changed', value: answer.change, reason: null };
  }
  return { hook, outcome: 'failed', reason: 'it returned neither nothing, nor {change}, nor {refuse}' };
}

/** The hook gets a signal of its own, so that one that listens can stop. */
async function bounded<T>(
  run: (signal: AbortSignal) => Awaitable<T>,
  stop: AbortSignal,
  timeoutMs: number,
): Promise<T> {
  const own = new AbortController();
  let reject = (_: Error) => {};
  const promise = new Promise<never>((_, fail) => {
    reject = fail;
  });
  const end = (reason: Error) => {
    reject(reason);
    own.abort(reason);
  };
  const onStop = () => end(new Error('the run was stopped'));
  stop.addEventListener('abort', onStop, { once: true });
  const timer = setTimeout(() => end(new Error(`it took longer than ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([Promise.resolve().then(() => run(own.signal)), promise]);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
  }
}

function named<Hook extends (...args: never[]) => unknown>(
  given: Hook | { name: string; hook: Hook },
  otherwise: string,
): { name: string; hook: Hook } {
  if (typeof given === 'function') return { name: given.name || otherwise, hook: given };
  return given;
}
