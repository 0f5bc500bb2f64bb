import { Console } from 'node:console';
import type { Agent } from '../../agent/agent.ts';
import { openChild } from '../../agent/children/open-child.ts';
import type { RunningChild } from '../../agent/children/starter.ts';
import { agentFromConfig } from '../../agent/from-config/index.ts';
import type { ConfigSettings } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { workspaceRuntime } from '../port/index.ts';
import { DaemonHost } from './child-host.ts';
import { dieWithDescendants } from './die-with-descendants.ts';
import { createMessageReader, messageLine } from './message-lines.ts';
import {
  type ChildOrderMessage,
  type ChildProblem,
  childOrderSchema,
  type FromChild,
  type ToChild,
  toChildSchema,
} from './messages.ts';

/**
 * The process of one agent: takes its order and further messages from stdin, and reports to stdout. It ends with its run,
 * and with the daemon that started it.
 */
export function runChild(): void {
  // Libraries may print something; stdout is for messages.
  globalThis.console = new Console(process.stderr);
  const send = (message: FromChild): void => void process.stdout.write(messageLine(message));
  // The daemon is gone: without it no other one may find this agent running.
  process.stdout.on('error', dieWithDescendants);
  process.stdin.on('end', dieWithDescendants).on('error', dieWithDescendants);
  const host = new DaemonHost(send);
  let child: Promise<RunningChild> | null = null;
  const read = createMessageReader((message) => {
    if (child) return void handle(toChildSchema.parse(message), child, host, send);
    child = carryOut(childOrderSchema.parse(message), host);
    child.then(
      async (running) => {
        send({ type: 'begun', budgets: running.budgets });
        await running.ended;
        exit(0);
      },
      (error) => {
        send({ type: 'failed', problem: problemOf(error) });
        exit(1);
      },
    );
  });
  process.stdin.on('data', read);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void child?.then((running) => running.close('its process received a signal to end')));
  }
}

async function carryOut(order: ChildOrderMessage, host: DaemonHost): Promise<RunningChild> {
  return await openChild(await agentOf(order), { runId: order.run_id, how: order.how }, host);
}

async function agentOf({ workspace, tools, model, setup }: ChildOrderMessage): Promise<Agent<unknown>> {
  const { home, env = process.env, session } = setup;
  const own = model === null ? [] : [{ name: 'spawn_agent', settings: { models: { executor: model } } }];
  const { agent } = await agentFromConfig<unknown>(workspace, {
    ...(home === undefined ? {} : { home }),
    env,
    // Checked against the schema like any other setting.
    session: [...session, ...own] as { name: string; settings: ConfigSettings }[],
    // No one sits before it: what has to be asked about waits for a decision.
    terminal: 'later',
    runtime: workspaceRuntime,
    override: { human: 'later', ...(tools === null ? {} : { toolNames: tools }) },
  });
  return agent;
}

async function handle(
  message: ToChild,
  child: Promise<RunningChild>,
  host: DaemonHost,
  send: (message: FromChild) => void,
): Promise<void> {
  if (message.type === 'reserved') return host.reserved(message.id, message.exhausted);
  // Before its run has begun there is nothing that a message could be for.
  const running = await child.catch(() => null);
  switch (message.type) {
    case 'send': {
      const { id, text, interrupt } = message;
      const problem = await running?.send({ text, interrupt }).then(() => null, problemOf);
      return send({ type: 'sent', id, problem: problem ?? null });
    }
    case 'close':
      return running?.close(message.reason);
    case 'charge':
      return running?.charge(message.use);
  }
}

function problemOf(error: unknown): ChildProblem {
  if (error instanceof TachoError) return { code: error.code, message: error.message, fix: error.fix ?? null };
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error), fix: null };
}

/** After everything was sent. */
function exit(code: number): void {
  process.stdout.write('', () => process.exit(code));
}
