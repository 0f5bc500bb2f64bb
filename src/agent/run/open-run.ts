import fs from 'node:fs';
import path from 'node:path';
import type { Policy } from '../../approvals/index.ts';
import { writeFailure } from '../../journal/file/file-errors.ts';
import { type AgentEvent, TachoError } from '../../protocol/index.ts';
import type { CommandPosture, CommandRunner } from '../../tools/commands/index.ts';
import { createRegistry, type Tool, type ToolRegistry } from '../../tools/index.ts';
import { readInputSchema } from '../../tools/input-schema.ts';
import type { RunOptions } from '../agent.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { BudgetTree, Effects } from '../loop/effects.ts';
import { Emitter } from '../loop/emitter.ts';
import type { AgentOptions } from '../options.ts';
import { compileHead } from '../prompt/head.ts';
import { DEFAULT_BUDGETS, DEFAULT_SETTINGS } from '../settings.ts';
import { type AgentState, newState } from '../state/state.ts';
import { createRedactor, openWal, type Redactor, type Wal, type WalHook } from '../wal/index.ts';
import { changedOutside } from './changed-outside.ts';
import { createFileKeeper } from './file-keeper.ts';
import { foldLog } from './fold-log.ts';
import { createHookRunner } from './hooks.ts';
import { IntentFile } from './intents.ts';
import { budgetTreeOf, LiveRun } from './live-run.ts';
import { createOutputCheck } from './output-check.ts';
import { createToolBox } from './toolbox.ts';

export type OpenRunRequest =
  | ({ kind: 'start'; task: string } & Pick<RunOptions, 'history' | 'parent'>)
  | { kind: 'resume' };

/** What a run is made of, besides its log: the same for a start, a resume and a replay. */
export interface RunParts {
  workspaceRoot: string;
  registry: ToolRegistry;
  policy: Policy;
  redactor: Redactor;
}

export async function openRun<Output>(
  options: AgentOptions<Output>,
  { runId, sessionId, request }: { runId: string; sessionId: string; request: OpenRunRequest },
): Promise<LiveRun<Output>> {
  const parts = await openParts(options, fs.realpathSync(options.workspaceRoot));
  const commands = await openCommands(options, parts.workspaceRoot);
  const hooks = options.onEvent ? [{ name: 'onEvent', call: options.onEvent }] : [];
  const wal = await openWal({
    workspaceRoot: parts.workspaceRoot,
    runId,
    create: request.kind === 'start',
    hooks: [...hooks.map(eachEvent), ...(options.logHooks ?? [])],
  });
  let intents: IntentFile | null = null;
  try {
    intents = new IntentFile(path.join(wal.folder, 'intents'));
    const state = request.kind === 'start' ? newState(runId) : await foldLog(runId, wal.read(), wal.vault);
    if (request.kind === 'resume' && state.end) throw ended(runId, state);
    if (request.kind === 'resume' && !state.isFork && !hasTask(state)) throw neverBegun(runId);
    const parent = request.kind === 'start' ? request.parent : undefined;
    const tree = parent ? budgetTreeOf(await parent.run.live(), null) : null;
    const stop = new AbortController();
    const effects = await liveEffects(options, { ...parts, commands, wal, intents, state, tree, stop });
    await begin(effects, options, { ...parts, commands, wal, sessionId, request, runId });
    const held = intents;
    return new LiveRun<Output>({
      effects,
      stop,
      locator: wal.locator,
      events: () => wal.subscribe({}),
      close: async () => {
        held.close();
        await wal.close();
      },
    });
  } catch (error) {
    intents?.close();
    await wal.close();
    throw error;
  }
}

export async function openParts<Output>(options: AgentOptions<Output>, workspaceRoot: string): Promise<RunParts> {
  const policy = options.policy ?? (await defaultPolicy(workspaceRoot));
  const tools = options.tools ?? (await builtins(options));
  const registry = createRegistry(tools as readonly Tool[]);
  return { workspaceRoot, registry, policy, redactor: createRedactor(options.secrets ?? []) };
}

async function defaultPolicy(workspaceRoot: string): Promise<Policy> {
  const { createPolicy } = await import('../../approvals/index.ts');
  return await createPolicy({ rules: [], workspaceRoot });
}

async function builtins({ runtime, skills }: Pick<AgentOptions<unknown>, 'runtime' | 'skills'>): Promise<Tool[]> {
  const { builtinTools } = await import('../../tools/builtin/index.ts');
  return builtinTools({ runtime: runtime !== undefined, skills: skills !== undefined });
}

interface Commands {
  runner: CommandRunner;
  posture: CommandPosture | { denied: string };
}

/** A sandbox that is impossible does not stop a run: its commands are denied, each with the reason. */
async function openCommands(
  { sandbox = { profile: 'balanced' } }: Pick<AgentOptions<unknown>, 'sandbox'>,
  workspaceRoot: string,
): Promise<Commands> {
  if ('commands' in sandbox) return { runner: sandbox.commands, posture: sandbox.posture };
  const commands = await import('../../tools/commands/index.ts');
  const opened = await commands.openCommands({ ...sandbox, workspaceRoot });
  if (!('why' in opened)) return { runner: opened.commands, posture: opened.posture };
  return { runner: { run: () => Promise.resolve({ denied: opened.why }) }, posture: { denied: opened.why } };
}

interface LiveParts extends RunParts {
  commands: Commands;
  wal: Wal;
  intents: IntentFile;
  state: AgentState;
  tree: BudgetTree | null;
  stop: AbortController;
}

async function liveEffects<Output>(options: AgentOptions<Output>, parts: LiveParts): Promise<Effects> {
  const { wal, state, redactor, stop, workspaceRoot } = parts;
  const clock = options.clock ?? systemClock;
  const emitter = new Emitter({
    state,
    clock,
    mask: redactor,
    sink: {
      append: (drafts, how) => wal.append(drafts, how),
      keep: (value) => wal.vault.putJson(value),
      collects: true,
    },
  });
  const digest = (text: string) => wal.vault.digest(text);
  const tools = createToolBox({
    registry: parts.registry,
    place: { workspaceRoot, digest },
    runId: wal.runId,
    env: options.env ?? {},
    commands: parts.commands.runner,
    skills: options.skills ?? null,
    runtime: options.runtime ?? null,
    keeper: createFileKeeper({ vault: wal.vault, workspaceRoot, limits: options.keep }),
    keepOutput: (callId, output) => keepOutput(wal, `${state.step}.${callId}`, redactor.maskJson(output)),
  });
  const task = () => taskOf(state);
  return {
    ...commonEffects(options, { ...parts, digest }),
    clock,
    random: options.random ?? Math.random,
    emitter,
    model: options.model,
    planner: options.planner ?? options.model,
    tools,
    ...(await openPeople(options, wal, clock)),
    hooks: createHookRunner(options.hooks ?? {}),
    intents: parts.intents,
    compileHead: async () =>
      await compileHead({
        prompt: options.prompt ?? {},
        workspaceRoot,
        task: task(),
        skills: options.skills ?? null,
        env: options.env ?? {},
      }),
    tree: parts.tree,
    stop: stop.signal,
  };
}

/**
 * Who decides and answers. `later` means files beside the log. What was decided there while a run waited counts in any
 * case.
 */
async function openPeople(
  { approvals, human }: Pick<AgentOptions<unknown>, 'approvals' | 'human'>,
  { folder, vault }: Wal,
  clock: Clock,
): Promise<Pick<Effects, 'approver' | 'asker'>> {
  const hasWaited = ['approvals', 'questions'].some((name) => fs.existsSync(path.join(folder, name)));
  if (!hasWaited && approvals !== 'later' && human !== 'later')
    return { approver: approvals ?? null, asker: human ?? null };
  const { folderApprover, folderAsker } = await import('../../approvals/approvers/simple-approvers.ts');
  const { decisionsIn } = await import('../pending/run-decisions.ts');
  const now = () => new Date(clock.now()).toISOString();
  const decisions = decisionsIn(folder, { sign: (text) => vault.sign(text), now });
  const [approver, asker] = [folderApprover(decisions.approvals), folderAsker(decisions.questions)];
  if (!hasWaited)
    return {
      approver: approvals === 'later' ? approver : (approvals ?? null),
      asker: human === 'later' ? asker : (human ?? null),
    };
  return {
    approver: {
      decide: async (request, signal) => {
        const decided = await approver.decide(request, signal);
        if (decided !== 'later' || approvals === 'later') return decided;
        return approvals ? await approvals.decide(request, signal) : decided;
      },
    },
    asker: {
      ask: async (question, signal) => {
        const answered = await asker.ask(question, signal);
        if (answered !== 'later' || human === 'later') return answered;
        return human ? await human.ask(question, signal) : answered;
      },
    },
  };
}

/** What does not depend on whether a run is live. */
export function commonEffects<Output>(
  options: AgentOptions<Output>,
  { policy, redactor, workspaceRoot, digest }: RunParts & { digest: (text: string) => string },
): Pick<Effects, 'judge' | 'digest' | 'digestOf' | 'textStream' | 'prepared' | 'checkOutput' | 'outputSchema'> {
  const output = options.output === undefined ? null : readInputSchema<unknown>('output', options.output);
  const transparent = { push: (text: string) => text, flush: () => '' };
  return {
    judge: ({ callId: _, ...call }) => policy.evaluate(call),
    digest,
    digestOf: (tool, input) => digest(JSON.stringify([workspaceRoot, tool, input])),
    textStream: () => (redactor.isEmpty ? transparent : redactor.stream()),
    prepared: new Map(),
    checkOutput: output && createOutputCheck(output),
    outputSchema: output?.parameters ?? null,
  };
}

interface BeginParts extends RunParts {
  commands: Commands;
  wal: Wal;
  sessionId: string;
  runId: string;
  request: OpenRunRequest;
}

async function begin<Output>(
  { emitter, outputSchema }: Effects,
  options: AgentOptions<Output>,
  parts: BeginParts,
): Promise<void> {
  const { registry, policy, workspaceRoot, sessionId, request, commands, wal } = parts;
  const common = {
    session_id: sessionId,
    policy_digest: policy.digest,
    tools: registry.specs().map(({ name, digest }) => ({ name, digest })),
    model: options.model.id,
    sandbox: commands.posture as never,
  };
  if (request.kind === 'resume') {
    const changed_outside = changedOutside(emitter.state, wal.vault, workspaceRoot);
    emitter.emit('run_resumed', {
      ...common,
      workspace: workspaceRoot,
      planner: options.planner?.id ?? null,
      changed_outside,
    });
    if (changed_outside.length > 0)
      emitter.emit('user_message', { text: noticeOf(changed_outside), origin: 'send', when: 'now' });
    await emitter.flush({ durable: true });
    return;
  }
  const { parent, task, history = [] } = request;
  emitter.emit('run_started', {
    ...common,
    workspace: workspaceRoot,
    planner: options.planner?.id ?? null,
    budgets: { ...DEFAULT_BUDGETS, ...options.budgets },
    settings: { ...DEFAULT_SETTINGS, ...options.settings } as never,
    output_schema: (outputSchema ?? null) as never,
    parent: parent ? { run_id: parent.run.id, call_id: parent.callId, wal_locator: parent.run.locator } : null,
    forked_from: null,
  });
  for (const { role, text } of history) emitter.emit('history_message', { role, text });
  emitter.emit('user_message', { text: task, origin: 'task', when: 'now' });
  await emitter.flush({ durable: true });
}

function noticeOf(paths: readonly string[]): string {
  const list = paths.slice(0, 50).map((name) => `- ${name}`);
  const more = paths.length > 50 ? [`- and ${paths.length - 50} more`] : [];
  return [
    'These files have changed since you last worked on them; read them again before you rely on them:',
    ...list,
    ...more,
  ].join('\n');
}

function taskOf({ history }: AgentState): string {
  const task = history.find(({ source }) => source === 'task')?.message;
  const content = task?.role === 'user' ? task.content : [];
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

/** A file below `artifacts/`; its name says which call it belongs to. */
function keepOutput(wal: Wal, call: string, output: { stdout: string; stderr: string }): string {
  const plain = call.replaceAll(/[^\w.-]/g, '_').slice(0, 100);
  // Two ids may look alike without the characters that a name cannot have.
  const name = plain === call ? `${call}.txt` : `${plain}.${wal.vault.digest(call).slice(0, 16)}.txt`;
  const text = output.stderr === '' ? output.stdout : `${output.stdout}\n[stderr]\n${output.stderr}`;
  const file = path.join(wal.artifactsFolder, name);
  try {
    fs.writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw writeFailure(error, file);
  }
  return name;
}

function eachEvent({ name, call }: { name: string; call: (event: AgentEvent) => unknown }): WalHook {
  return {
    name,
    onEvents: async (events: readonly AgentEvent[]) => {
      for (const event of events) await call(event);
    },
  };
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
