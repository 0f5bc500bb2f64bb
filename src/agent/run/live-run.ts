import { isDeepStrictEqual } from 'node:util';
import { type AgentEvent, TachoError } from '../../protocol/index.ts';
import type { ChildUse } from '../../tools/index.ts';
import { exhaustedOf, usedBy } from '../loop/budgets.ts';
import type { BudgetTree, Effects } from '../loop/effects.ts';
import { runLoop } from '../loop/loop.ts';
import type { StopSwitch } from '../loop/stop-switch.ts';
import type { AgentState } from '../state/state.ts';
import { type RunResult, resultOf } from './run-result.ts';

export interface LiveParts {
  effects: Effects;
  stop: StopSwitch;
  locator: string;
  events(): AsyncIterable<AgentEvent>;
  /** Frees the log and everything else. */
  close(): Promise<void>;
}

/** How a message is sent to a run. */
export interface SendOptions {
  /** Before the next step of the model (`now`), or when it would otherwise be done (default: now). */
  when?: 'now' | 'after' | undefined;
  /** Stop what the run is doing, a request or tool calls, and continue with the message (default: false). */
  interrupt?: boolean | undefined;
}

/** A run that this process carries out. Owns its log until the run has ended or waits. */
export class LiveRun<Output> {
  readonly finished: Promise<RunResult<Output>>;
  readonly #parts: LiveParts;
  #isOver = false;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.finished = this.#carryOut();
    this.finished.catch(() => {});
  }

  get state(): AgentState {
    return this.#parts.effects.emitter.state;
  }

  events(): AsyncIterable<AgentEvent> {
    return this.#parts.events();
  }

  async send(text: string, { when = 'now', interrupt = false }: SendOptions = {}): Promise<void> {
    if (this.#isOver || this.state.end) throw ended(this.state.runId);
    const { emitter } = this.#parts.effects;
    emitter.emit('user_message', { text, origin: 'send', when, ...(interrupt ? { interrupt } : {}) });
    const written = emitter.flush({ durable: true });
    if (interrupt) this.#parts.stop.interrupt('a message interrupts the run');
    await written;
  }

  async cancel(reason: string): Promise<void> {
    if (this.#isOver || this.state.end || this.state.cancel !== null) return;
    const { emitter } = this.#parts.effects;
    emitter.emit('cancel_requested', { reason });
    const written = emitter.flush({ durable: true });
    this.#parts.stop.stop(reason);
    await written;
  }

  async close(reason: string): Promise<void> {
    if (this.#isOver || this.state.end || this.state.cancel !== null || this.state.close !== null) return;
    const { emitter } = this.#parts.effects;
    emitter.emit('close_requested', { reason });
    const written = emitter.flush({ durable: true });
    this.#parts.stop.stop(reason);
    await written;
  }

  /** Use by a child counts as if it were this run's own. What is known already is not logged again. */
  async charge({ run_id, steps, usage, cost_usd }: ChildUse): Promise<void> {
    if (this.#isOver || this.state.end) return;
    const use = { run_id, steps, usage, cost_usd };
    if (isDeepStrictEqual(this.state.children.get(run_id), use)) return;
    const { emitter } = this.#parts.effects;
    emitter.emit('child_charged', use);
    await emitter.flush();
  }

  async #carryOut(): Promise<RunResult<Output>> {
    const { effects, locator } = this.#parts;
    const timer = this.#startTimer();
    try {
      await runLoop(effects);
      return resultOf(this.state, locator, (text) => effects.emitter.shown(text));
    } catch (error) {
      throw withoutSecrets(error, effects.emitter);
    } finally {
      this.#isOver = true;
      timer.abort();
      // What was emitted before an error; the error itself is reported.
      await effects.emitter.flush().catch(() => {});
      await this.#parts.close();
    }
  }

  /** Time is up also while a model or a tool is at work. */
  #startTimer(): AbortController {
    const { effects, stop } = this.#parts;
    const { emitter, clock } = effects;
    const { max_wall_ms: limit } = this.state.budgets;
    const timer = new AbortController();
    if (limit === null) return timer;
    const left = Math.max(0, limit - this.state.activeMs);
    clock.sleep(left, timer.signal).then(
      () => {
        if (this.#isOver || this.state.end || this.state.cancel !== null) return;
        emitter.emit('budget_exhausted', { budget: 'wall_time', scope: 'run', limit, used: limit });
        emitter.flush().catch(() => {});
        stop.stop('the time is up');
      },
      () => {},
    );
    return timer;
  }
}

/** Whatever was thrown may quote anything. */
function withoutSecrets(error: unknown, emitter: Effects['emitter']): unknown {
  if (!(error instanceof Error)) return error;
  const message = emitter.shown(error.message);
  if (message === error.message) return error;
  const shown = error instanceof TachoError ? new TachoError(error.code, message) : new Error(message);
  shown.stack = emitter.shown(error.stack ?? '');
  return shown;
}

/** The budgets of a parent in this process as limits for a child. */
export function budgetTreeOf(parent: LiveRun<unknown>): BudgetTree {
  return {
    exhausted: async () => exhaustedOf(parent.state.budgets, usedBy(parent.state)),
    charge: (child) => {
      const { steps, cost: cost_usd, tokens: total_tokens } = usedBy(child);
      const usage = { ...child.usage, total_tokens };
      parent.charge({ run_id: child.runId, steps, usage, cost_usd }).catch(() => {});
    },
  };
}

function ended(runId: string): TachoError {
  return new TachoError('RUN_ENDED', `the run "${runId}" has ended`, {
    facts: { run_id: runId },
    fix: 'Start a new run with its history, or fork it.',
  });
}
