import type { Policy } from '../../approvals/index.ts';
import type { AgentData, AgentEvent, ToolResult } from '../../protocol/index.ts';
import type { CallPlace } from '../../tools/index.ts';
import type { Effects } from '../loop/effects.ts';
import { Emitter, type Mask } from '../loop/emitter.ts';
import { runLoop } from '../loop/loop.ts';
import { StopSwitch } from '../loop/stop-switch.ts';
import type { AgentOptions } from '../options.ts';
import { exactData } from '../run/fold-log.ts';
import { recordedSourceTools } from '../run/open-sources.ts';
import { commonEffects, openParts, withSourceTools } from '../run/run-parts.ts';
import { createToolBox } from '../run/toolbox.ts';
import { applyEvent, type ExactEvent } from '../state/apply-event.ts';
import { newState } from '../state/state.ts';
import type { Vault } from '../wal/index.ts';
import { Diverged, type Divergence } from './divergence.ts';
import {
  exhaustedTree,
  hadPeople,
  recordedChanges,
  recordedHead,
  recordedHooks,
  recordedIntents,
  recordedRandom,
} from './recorded-facts.ts';
import { recordedJudge } from './recorded-judge.ts';
import { RecordedWorld, stuck } from './recorded-world.ts';
import { partAt, type ReplayPart, resumedAfter } from './replay-part.ts';

export interface ReplayRequest {
  /** The events of a log, in order. */
  events: readonly AgentEvent[];
  vault: Pick<Vault, 'getJson' | 'digest'>;
  /** Results that tools are to have had instead, by the `seq` of their `tool_call_finished`. */
  results?: ReadonlyMap<number, ToolResult> | undefined;
}

/** Whether all events were the same; `events` counts those that were. */
export type ReplayResult =
  | { identical: true; events: number }
  | { identical: false; events: number; divergence: Divergence };

/**
 * Runs the real loop again, with everything outside of it served from the log: model, tools, clock, decisions. The events
 * must be the same, byte for byte. Nothing is executed, sent or written.
 */
export async function replayRun<Output>(options: AgentOptions<Output>, request: ReplayRequest): Promise<ReplayResult> {
  const { vault } = request;
  const events = withResults(request);
  const first = events[0];
  if (first?.type !== 'run_started') return { identical: true, events: 0 };
  const openPart = createPartOpener(options, vault);
  for (let from = beginningOf(events); from < events.length; ) {
    const part = partAt(events, from, vault);
    // What was changed in a fork did not come out of the loop.
    const replayed = events.slice(0, part.isEdited ? part.to - 1 : part.to);
    if (from <= replayed.length) {
      const world = new RecordedWorld(replayed, vault, from);
      try {
        await replayProcess(world, { ...(await openPart(part)), ...part, events: replayed, vault, from });
      } catch (error) {
        if (!(error instanceof Diverged)) throw error;
        return { identical: false, events: error.divergence.seq - 1, divergence: error.divergence };
      }
      if (world.next !== undefined) {
        // Another process went on from here.
        from = world.position + 1;
        continue;
      }
    }
    from = resumedAfter(events, part.to);
  }
  return { identical: true, events: events.length };
}

/** What belongs to a folder that a run worked in. */
function createPartOpener<Output>(options: AgentOptions<Output>, vault: ReplayRequest['vault']) {
  const digest = (text: string) => vault.digest(text);
  return async ({ workspace, runId, sources }: ReplayPart) => {
    const own = await openParts(options, workspace);
    const taken = own.registry.specs().map(({ name }) => name);
    const parts = withSourceTools(own, options, recordedSourceTools(sources, taken));
    const place: CallPlace = { workspaceRoot: workspace, digest };
    const tools = createToolBox({
      registry: parts.registry,
      place,
      runId,
      env: {},
      commands: { run: () => Promise.reject(new Error('a replay runs nothing')) },
      skills: null,
      runtime: null,
      limits: {},
      refuse: () => null,
      keeper: { begin: () => Promise.reject(new Error('a replay changes nothing')) },
      keepOutput: () => '',
    });
    const common = commonEffects(options, { ...parts, digest });
    return { tools, common, mask: parts.redactor, policy: parts.policy };
  };
}

/** The events before the first one of the loop: they are what the run was given. */
function beginningOf(events: readonly AgentEvent[]): number {
  const index = events.findIndex(
    ({ type, data }) =>
      type === 'run_forked' || (type === 'user_message' && (data as AgentData<'user_message'>).origin === 'task'),
  );
  // Forked before its task.
  return events[index]?.type === 'run_forked' ? resumedAfter(events, index) : index + 1;
}

function withResults({ events, results }: ReplayRequest): readonly AgentEvent[] {
  if (!results || results.size === 0) return events;
  return events.map((event) => {
    const result = results.get(event.seq);
    if (!result || event.type !== 'tool_call_finished') return event;
    const { exact: _, ...data } = event.data;
    return { ...event, data: { ...data, result } };
  });
}

interface Process extends ReplayPart {
  events: readonly AgentEvent[];
  vault: Pick<Vault, 'getJson' | 'digest'>;
  /** How many events there were when it began. */
  from: number;
  tools: Effects['tools'];
  common: ReturnType<typeof commonEffects>;
  mask: Mask;
  policy: Policy;
}

/** What one process did: from a start or a resume until it ended, waited or died. */
async function replayProcess(
  world: RecordedWorld,
  { events, vault, from, tools, common, mask, policy, ...part }: Process,
): Promise<void> {
  const state = newState(part.runId);
  for (const event of events.slice(0, from)) {
    if (event.type === 'llm_response_delta') continue;
    applyEvent(
      state,
      { ts: event.ts, type: event.type, data: exactData(event, vault) } as ExactEvent,
      Date.parse(event.ts),
    );
  }
  const check = common.checkOutput;
  const emitter = new Emitter({ state, sink: world.sink, clock: world.clock, mask });
  const stop = new StopSwitch();
  const effects: Effects = {
    ...common,
    prepared: new Map(),
    clock: world.clock,
    random: () => recordedRandom(world.cursor),
    emitter,
    model: world.model(part.model),
    planner: world.model(part.planner ?? part.model),
    // What another policy said is an input like any other.
    ...(part.policyDigest === policy.digest ? {} : { judge: recordedJudge(events, vault, world) }),
    tools: {
      ...tools,
      prepare: (name, input) => world.working(tools.prepare(name, input)),
      changesOf: ({ id }) => Promise.resolve(recordedChanges(world.cursor, id)),
      execute: ({ id }) => world.execute(id),
    },
    checkOutput: check && ((text) => world.working(check(text))),
    get approver() {
      return hadPeople(world.cursor)
        ? { decide: ({ approval_id }: { approval_id: string }) => world.decide(approval_id) }
        : null;
    },
    get asker() {
      return hadPeople(world.cursor)
        ? { ask: ({ question_id }: { question_id: string }) => world.ask(question_id) }
        : null;
    },
    hooks: recordedHooks(world.cursor),
    intents: recordedIntents(world.cursor),
    compileHead: () => Promise.resolve(recordedHead(world.cursor)),
    tree: { exhausted: () => Promise.resolve(exhaustedTree(world.cursor)), charge: () => {} },
    get stop() {
      return stop.signal;
    },
    renewStop: () => stop.renew(),
  };
  const input = (emit: () => void, reason?: string) => {
    emit();
    emitter.flush().catch(() => {});
    if (reason !== undefined) stop.stop(reason);
  };
  world.connect({
    send: (data) => {
      input(() => emitter.emit('user_message', data));
      if (data.interrupt) stop.interrupt('a message interrupts the run');
    },
    cancel: (data) => input(() => emitter.emit('cancel_requested', data), data.reason),
    close: (data) => input(() => emitter.emit('close_requested', data), data.reason),
    timeUp: (data) => input(() => emitter.emit('budget_exhausted', data), 'the time is up'),
    charge: (data) => input(() => emitter.emit('child_charged', data)),
  });
  const loop = runLoop(effects).catch((error) => {
    if (!world.isAbandonment(error)) throw error;
  });
  await untilOver(loop, world);
}

/** Idle turns of the event loop after which nothing can come any more: everything is served from memory. */
const MAX_IDLE_TURNS = 200;

/** A loop that waits for something that the log does not have is told apart from one whose process died there. */
async function untilOver(loop: Promise<void>, world: RecordedWorld): Promise<void> {
  let isOver = false;
  const over = loop.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  let seen = -1;
  for (let idle = 0; !isOver && idle < MAX_IDLE_TURNS; idle++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (world.activity !== seen || world.isBusy) idle = 0;
    seen = world.activity;
    if (world.next?.type === 'run_resumed' && idle > 2) break;
  }
  if (isOver) {
    await over;
    if (world.next === undefined || world.next.type === 'run_resumed') return;
    throw stuck(world.next, world.position + 1);
  }
  world.abandon();
  if (world.next?.type === 'run_resumed' || world.next === undefined) return;
  throw stuck(world.next, world.position + 1);
}
