import type { Budgets } from '../protocol/index.ts';

/** US dollars per million tokens. */
export interface ModelPrice {
  input: number;
  cached_input: number;
  cache_write: number;
  output: number;
}

/** What the loop decides by, in addition to budgets and policy. It is part of the log, so it has wire names. */
export interface LoopSettings {
  /** Maximum number of shared tool calls that run at the same time (default: 8). */
  parallel: number;
  /** Beyond this the oldest exchanges leave the prompt (default: 400). */
  history_max_messages: number;
  /** The same in characters (default: 400,000). */
  history_max_chars: number;
  /** When the model rejects the prompt as too long: fail, summarize, or ask first (default: compact_first). */
  on_overflow: 'fail_fast' | 'compact_first' | 'ask_first';
  /** How often a failed request is repeated, if that may help (default: 5). */
  max_retries: number;
  /** Delay before the first retry; it doubles with each one (default: 1 s). */
  retry_base_ms: number;
  /** Maximum delay (default: 1 min). */
  retry_max_ms: number;
  /** The longest wait that a provider may ask for; the run fails if it asks for more (default: 10 min). */
  retry_after_max_ms: number;
  /** How often the same request may be denied before the run ends (default: 2). */
  max_denials: number;
  /** How many steps in a row may only repeat earlier calls with the same results before the run ends (default: 8). */
  no_progress_steps: number;
  /** Of one response; null leaves it to the provider. */
  max_output_tokens: number | null;
  temperature: number | null;
  /** Prices by `provider:model`, or by the model alone. A cost budget counts only models that have one. */
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
