import { type AgentEvent, TachoError } from '../../protocol/index.ts';
import type { BudgetTree, Effects } from '../loop/effects.ts';
import { runLoop, usedBy } from '../loop/loop.ts';
import type { AgentState } from '../state/state.ts';
import { type RunResult, resultOf } from './run-result.ts';

export interface LiveParts {
  effects: Effects;
  stop: AbortController;
  locator: string;
  events(): AsyncIterable<AgentEvent>;
  /** Frees the log and everything else. */
  close(): Promise<void>;
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

  async send(text: string, when: 'now' | 'after'): Promise<void> {
    if (this.#isOver || this.state.end) throw ended(this.state.runId);
    const { emitter } = this.#parts.effects;
    emitter.emit('user_message', { text, origin: 'send', when });
    await emitter.flush({ durable: true });
  }

  async cancel(reason: string): Promise<void> {
    if (this.#isOver || this.state.end || this.state.cancel !== null) return;
    const { emitter } = this.#parts.effects;
    emitter.emit('cancel_requested', { reason });
    const written = emitter.flush({ durable: true });
    this.#parts.stop.abort(new Error(reason));
    await written;
  }

  /** Use by a child counts as if it were this run's own. */
  async charge(child: AgentState): Promise<void> {
    if (this.#isOver || this.state.end) return;
    const { steps, cost, tokens } = usedBy(child);
    const { emitter } = this.#parts.effects;
    const usage = { ...child.usage, total_tokens: tokens };
    emitter.emit('child_charged', { run_id: child.runId, steps, usage, cost_usd: cost });
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
        stop.abort(new Error('the time is up'));
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

/** The budgets of a parent, and of its parents, as limits for a child. */
export function budgetTreeOf(parent: LiveRun<unknown>, above: BudgetTree | null): BudgetTree {
  return {
    exhausted: () => {
      const { state } = parent;
      const { max_steps, max_tokens, max_cost_usd } = state.budgets;
      const used = usedBy(state);
      if (max_steps !== null && used.steps >= max_steps) return { budget: 'steps', limit: max_steps, used: used.steps };
      if (max_tokens !== null && used.tokens >= max_tokens)
        return { budget: 'tokens', limit: max_tokens, used: used.tokens };
      if (max_cost_usd !== null && used.cost >= max_cost_usd)
        return { budget: 'cost', limit: max_cost_usd, used: used.cost };
      return above?.exhausted() ?? null;
    },
    charge: (child) => {
      parent.charge(child).catch(() => {});
      above?.charge(parent.state);
    },
  };
}

function ended(runId: string): TachoError {
  return new TachoError('RUN_ENDED', `the run "${runId}" has ended`, {
    facts: { run_id: runId },
    fix: 'Start a new run with its history, or fork it.',
  });
}
