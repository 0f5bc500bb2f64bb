import type { Budgets } from '../protocol/index.ts';

/** US dollars for a million tokens. */
export interface ModelPrice {
  input: number;
  cached_input: number;
  cache_write: number;
  output: number;
}

/** Everything the loop decides by, besides budgets and policy. Logged when a run starts, so wire names. */
export interface LoopSettings {
  /** Maximum number of shared tool calls that run at the same time. */
  parallel: number;
  history_max_messages: number;
  history_max_chars: number;
  on_overflow: 'fail_fast' | 'compact_first' | 'ask_first';
  max_retries: number;
  retry_base_ms: number;
  retry_max_ms: number;
  /** The longest wait that a provider may ask for; the run fails if it asks for more. */
  retry_after_max_ms: number;
  /** How often the same request may be denied before the run ends. */
  max_denials: number;
  /** How many steps in a row may only repeat earlier calls with the same results before the run ends. */
  no_progress_steps: number;
  max_output_tokens: number | null;
  temperature: number | null;
  /** Prices by `provider:model`, or by the model alone. */
  prices: Readonly<Record<string, ModelPrice>>;
}

export const DEFAULT_SETTINGS: LoopSettings = {
  parallel: 8,
  history_max_messages: 400,
  history_max_chars: 400_000,
  on_overflow: 'compact_first',
  max_retries: 5,
  retry_base_ms: 1000,
  retry_max_ms: 60_000,
  retry_after_max_ms: 600_000,
  max_denials: 2,
  no_progress_steps: 8,
  max_output_tokens: null,
  temperature: null,
  prices: {},
};

export const NO_BUDGETS: Budgets = { max_steps: null, max_wall_ms: null, max_tokens: null, max_cost_usd: null };
export const DEFAULT_BUDGETS: Budgets = { ...NO_BUDGETS, max_steps: 200 };
