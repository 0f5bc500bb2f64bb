import fs from 'node:fs';
import path from 'node:path';
import { writeFailure } from '../../journal/file/file-errors.ts';
import type { RuntimeParts } from '../../tools/index.ts';
import { systemClock } from '../clock.ts';
import type { BudgetTree, Effects } from '../loop/effects.ts';
import { Emitter } from '../loop/emitter.ts';
import type { StopSwitch } from '../loop/stop-switch.ts';
import type { AgentOptions } from '../options.ts';
import { compileHead } from '../prompt/head.ts';
import type { AgentState } from '../state/state.ts';
import type { Wal } from '../wal/index.ts';
import type { Commands } from './commands.ts';
import { createFileKeeper } from './file-keeper.ts';
import { createHookRunner } from './hooks.ts';
import type { IntentFile } from './intents.ts';
import { openPeople } from './people.ts';
import { commonEffects, type RunParts } from './run-parts.ts';
import { createToolBox } from './toolbox.ts';

interface LiveParts extends RunParts {
  commands: Commands;
  wal: Wal;
  intents: IntentFile;
  state: AgentState;
  tree: BudgetTree | null;
  runtime: RuntimeParts | null;
  stop: StopSwitch;
}

/** Everything outside of the loop, for a run that is really carried out. */
export function liveEffects<Output>(options: AgentOptions<Output>, parts: LiveParts): Effects {
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
    runtime: parts.runtime,
    limits: options.limits ?? {},
    refuse: (path, access) => {
      const { decision, reason } = parts.policy.evaluate({
        tool: '',
        actions: [{ kind: access, path }],
        hasEffects: false,
      });
      return decision === 'deny' ? reason : null;
    },
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
    ...openPeople(options, wal, clock),
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
    get stop() {
      return stop.signal;
    },
    renewStop: () => stop.renew(),
  };
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
