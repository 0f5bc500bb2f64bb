import { randomUUID } from 'node:crypto';
import {
  type ChildHost,
  type ChildOrder,
  type ChildStarter,
  DiedEarly,
  type RunningChild,
} from '../../agent/children/starter.ts';
import { ownProgramCommand } from '../../config/index.ts';
import { type AgentSetup, type Budgets, TachoError } from '../../protocol/index.ts';
import type { SessionLedger } from '../../terminal/index.ts';
import { PipedProgram } from '../../terminal/piped-program.ts';
import { endOrphans, endTree } from '../../terminal/processes/process-tree.ts';
import { ChildStderr } from './child-stderr.ts';
import { createMessageReader, messageLine } from './message-lines.ts';
import {
  type ChildOrderMessage,
  type ChildProblem,
  type FromChild,
  fromChildSchema,
  type ToChild,
} from './messages.ts';

/** The program in the build that carries out one agent. */
const PROGRAM = 'child-agent';
/** A tool gets ten seconds to stop, and its processes a little more. */
const CLOSE_TIMEOUT_MS = 20_000;
const KILL_GRACE_MS = 1000;

export interface ProcessStarterOptions {
  workspace: string;
  environment: NodeJS.ProcessEnv;
  /** Where a process is registered before it starts, so that the next daemon can end it. */
  ledger?: SessionLedger | undefined;
  /** Gets the diagnostic output of agents. */
  report(text: string): void;
}

type Order = ChildOrder<AgentSetup | undefined>;

/** Runs each agent as a process of its own. */
export function processStarter(options: ProcessStarterOptions): ChildStarter<AgentSetup | undefined> {
  return {
    start: async (order, host) => {
      const child = new AgentProcess(order.runId, host, options);
      await child.start(order);
      return child;
    },
  };
}

/** The process of one agent, from its start until nothing of it is left. */
class AgentProcess implements RunningChild {
  readonly ended: Promise<void>;
  budgets!: Budgets;
  readonly #runId: string;
  readonly #host: ChildHost;
  readonly #options: ProcessStarterOptions;
  readonly #stderr: ChildStderr;
  readonly #begun = settledLater<Budgets>();
  readonly #ended = settledLater<void>();
  /** Messages that it has not confirmed yet. */
  readonly #sent = new Map<number, SettledLater<void>>();
  #program: PipedProgram | null = null;
  #lastId = 0;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(runId: string, host: ChildHost, options: ProcessStarterOptions) {
    this.#runId = runId;
    this.#host = host;
    this.#options = options;
    this.#stderr = new ChildStderr(runId, options.report);
    this.ended = this.#ended.promise;
  }

  /** Resolves when its run has begun. */
  async start(order: Order): Promise<void> {
    const { ledger } = this.#options;
    const marker = randomUUID();
    ledger?.opening({ id: this.#runId, marker });
    try {
      this.#program = await this.#open(marker);
      ledger?.opened({ id: this.#runId, pid: this.#program.pid });
    } catch (error) {
      ledger?.gone(this.#runId);
      throw error;
    }
    void this.#program.exited.then(() => this.#finish(this.#program!));
    this.#program.input!.write(messageLine(orderMessage(order, this.#options)));
    try {
      this.budgets = await this.#begun.promise;
    } catch (error) {
      // Until then it may hold the run.
      await this.ended;
      throw error;
    }
  }

  async send({ text, interrupt }: { text: string; interrupt: boolean }): Promise<void> {
    const id = ++this.#lastId;
    const confirmed = settledLater<void>();
    this.#sent.set(id, confirmed);
    this.#write({ type: 'send', id, text, interrupt });
    await confirmed.promise;
  }

  close(reason: string): void {
    this.#write({ type: 'close', reason });
    this.#closeTimer ??= setTimeout(() => this.#kill(), CLOSE_TIMEOUT_MS);
  }

  charge(use: Parameters<RunningChild['charge']>[0]): void {
    this.#write({ type: 'charge', use });
  }

  async #open(marker: string): Promise<PipedProgram> {
    const argv = ownProgramCommand(PROGRAM);
    if (!argv) throw new TachoError('COMMAND_UNAVAILABLE', `the program of child agents, ${PROGRAM}, is missing`);
    const read = createMessageReader((message) => this.#receive(fromChildSchema.parse(message)));
    return await PipedProgram.start({
      argv,
      cwd: this.#options.workspace,
      env: definedOnly(this.#options.environment),
      marker,
      stdin: 'pipe',
      onOutput: (stream, bytes) => {
        if (stream === 'stderr') return this.#stderr.push(bytes);
        try {
          read(bytes);
        } catch (error) {
          this.#options.report(`agent ${this.#runId} sent something else than messages: ${(error as Error).message}\n`);
          this.#kill();
        }
      },
    });
  }

  #receive(message: FromChild): void {
    switch (message.type) {
      case 'begun':
        this.#begun.resolve(message.budgets);
        return;
      case 'failed':
        this.#begun.reject(errorOf(message.problem));
        return;
      case 'used':
        this.#host.used(message.used);
        return;
      case 'reserve':
        void this.#reserve(message);
        return;
      case 'sent': {
        const confirmed = this.#sent.get(message.id);
        this.#sent.delete(message.id);
        if (message.problem) confirmed?.reject(errorOf(message.problem));
        else confirmed?.resolve();
      }
    }
  }

  async #reserve({ id, used, isNew }: Extract<FromChild, { type: 'reserve' }>): Promise<void> {
    const exhausted = await this.#host.reserve(used, { isNew });
    this.#write({ type: 'reserved', id, exhausted });
  }

  #write(message: ToChild): void {
    const input = this.#program?.input;
    if (input?.writable) input.write(messageLine(message));
  }

  #kill(): void {
    if (this.#program) endTree(this.#program.tree, KILL_GRACE_MS).catch(() => {});
  }

  /** Whatever it left running ends with it. */
  async #finish(program: PipedProgram): Promise<void> {
    clearTimeout(this.#closeTimer);
    program.drain();
    this.#stderr.end();
    // What cannot be found now is ended by the next daemon.
    await endOrphans(program.tree, KILL_GRACE_MS).catch(() => {});
    program.close();
    try {
      this.#options.ledger?.gone(this.#runId);
    } catch {
      // A superfluous entry does no harm: it names no existing process.
    }
    const died = new DiedEarly(this.#runId, this.#stderr.tail);
    this.#begun.reject(died);
    for (const confirmed of this.#sent.values()) confirmed.reject(died);
    this.#ended.resolve();
  }
}

interface SettledLater<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

function settledLater<T>(): SettledLater<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // It may be rejected when no one waits for it any more.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

function orderMessage({ runId, how, tools, model, setup }: Order, options: ProcessStarterOptions): ChildOrderMessage {
  const { workspace } = options;
  return {
    workspace,
    run_id: runId,
    how: how.kind === 'start' ? { ...how, parent: how.parent && linkOf(how.parent) } : how,
    tools: tools && [...tools],
    model,
    setup: { session: [], ...setup },
  };
}

function linkOf({ runId, callId, walLocator }: { runId: string; callId: string; walLocator: string }) {
  return { runId, callId, walLocator };
}

function errorOf({ code, message, fix }: ChildProblem): TachoError {
  return new TachoError(code, message, fix === null ? {} : { fix });
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
