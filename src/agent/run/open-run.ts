import fs from 'node:fs';
import path from 'node:path';
import { type AgentEvent, TachoError } from '../../protocol/index.ts';
import type { BudgetTree } from '../loop/effects.ts';
import { StopSwitch } from '../loop/stop-switch.ts';
import type { AgentOptions } from '../options.ts';
import { type AgentState, newState } from '../state/state.ts';
import { openWal, type WalHook } from '../wal/index.ts';
import { beginRun, type OpenRunRequest } from './begin-run.ts';
import { openCommands } from './commands.ts';
import { foldLog } from './fold-log.ts';
import { IntentFile } from './intents.ts';
import { liveEffects } from './live-effects.ts';
import { budgetTreeOf, LiveRun } from './live-run.ts';
import { openRuntime } from './open-runtime.ts';
import { type OpenedSources, openSources } from './open-sources.ts';
import { registerRun } from './register.ts';
import { openParts, withSourceTools } from './run-parts.ts';

interface OpenRunOptions {
  runId: string;
  sessionId: string;
  request: OpenRunRequest;
  /** Aborted when the run is cancelled before it has begun. */
  opening: AbortSignal;
}

/** Opens the log of a new run, or of one that was left, and carries it on. */
export async function openRun<Output>(
  options: AgentOptions<Output>,
  { runId, sessionId, request, opening }: OpenRunOptions,
): Promise<LiveRun<Output>> {
  const own = await openParts(options, fs.realpathSync(options.workspaceRoot));
  const { workspaceRoot } = own;
  const commands = await openCommands(options, workspaceRoot);
  const hooks = options.onEvent ? [{ name: 'onEvent', call: options.onEvent }] : [];
  const wal = await openWal({
    workspaceRoot,
    runId,
    create: request.kind === 'start',
    hooks: [...hooks.map(eachEvent), ...(options.logHooks ?? [])],
  });
  let intents: IntentFile | null = null;
  let runtime: ReturnType<typeof openRuntime> = null;
  let sources: OpenedSources | null = null;
  try {
    intents = new IntentFile(path.join(wal.folder, 'intents'));
    const state = request.kind === 'start' ? newState(runId) : await foldLog(runId, wal.read(), wal.vault);
    if (request.kind === 'resume' && state.end) throw ended(runId, state);
    if (request.kind === 'resume' && !state.isFork && !hasTask(state)) throw neverBegun(runId);
    const stop = new StopSwitch();
    let live: LiveRun<Output> | null = null;
    sources = await openSources(options.toolSources ?? [], {
      signal: opening,
      env: options.env ?? {},
      workspaceRoot,
      taken: own.registry.specs().map(({ name }) => name),
    });
    const parts = withSourceTools(own, options, sources.tools);
    runtime = openRuntime(options.runtime, {
      state,
      walLocator: wal.locator,
      workspaceRoot,
      tools: parts.registry.specs().map(({ name }) => name),
      charge: (use) => live?.charge(use).catch(() => {}),
    });
    const tree = (await treeOf(request)) ?? runtime?.tree ?? null;
    const effects = liveEffects(options, {
      ...{ ...parts, commands, wal, intents, state, tree, stop },
      runtime: runtime?.port ?? null,
    });
    // Before the first event, so that it is shown from its beginning. A child is shown with its parent.
    const isChild = state.isChild || (request.kind === 'start' && (request.parent ?? null) !== null);
    if (options.register && !isChild) {
      registerRun(options.register.dataFolder, { run_id: runId, workspace: workspaceRoot, locator: wal.locator });
    }
    const { logged } = sources;
    await beginRun(effects, options, { ...parts, commands, wal, sessionId, request, runId, sources: logged });
    const held = { intents, sources, runtime };
    live = new LiveRun<Output>({
      effects,
      stop,
      locator: wal.locator,
      events: () => wal.subscribe({}),
      close: async () => {
        // A run that waits, or that could not be recorded, may continue in another process.
        await held.runtime?.close({ keepAgents: state.end === null && state.status !== 'closed' });
        await held.sources.close();
        held.intents.close();
        await wal.close();
      },
    });
    return live;
  } catch (error) {
    await runtime?.close({ keepAgents: true });
    await sources?.close();
    intents?.close();
    await wal.close();
    throw error;
  }
}

function eachEvent({ name, call }: { name: string; call: (event: AgentEvent) => unknown }): WalHook {
  return {
    name,
    onEvents: async (events: readonly AgentEvent[]) => {
      for (const event of events) await call(event);
    },
  };
}

async function treeOf(request: OpenRunRequest): Promise<BudgetTree | null> {
  if (request.kind === 'resume') return request.budget ?? null;
  const { parent } = request;
  if (!parent) return null;
  return 'run' in parent ? budgetTreeOf(await parent.run.live()) : (parent.budget ?? null);
}

function hasTask({ history }: AgentState): boolean {
  return history.some(({ source }) => source === 'task');
}

/** Its process died before the first write was complete. */
function neverBegun(runId: string): TachoError {
  return new TachoError('RUN_NOT_FOUND', `the run "${runId}" has not begun: its log does not have the task`, {
    facts: { run_id: runId },
    fix: 'Start a new run.',
  });
}

function ended(runId: string, { status }: AgentState): TachoError {
  return new TachoError('RUN_ENDED', `the run "${runId}" has ended: it is ${status}`, {
    facts: { run_id: runId, status },
    fix: 'Fork it to continue from any of its events.',
  });
}
