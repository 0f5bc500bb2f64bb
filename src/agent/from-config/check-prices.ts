import { type ConfigSource, formatSource } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { AgentSettings } from './agent-settings.ts';

/**
 * A cost budget counts nothing for a model without a price. Throws CONFIG_INVALID for the first such model; names are
 * `model` or `provider:model`.
 */
export function requirePrices(
  { budgets, loop }: Pick<AgentSettings, 'budgets' | 'loop'>,
  models: readonly string[],
  setBy?: ConfigSource,
): void {
  if (budgets.max_cost_usd === null) return;
  const has = (name: string) => Object.hasOwn(loop.prices, name);
  const missing = models.find((name) => !has(name) && !has(name.slice(name.indexOf(':') + 1)));
  if (missing === undefined) return;
  const where = setBy === undefined ? '' : `${formatSource(setBy)}: `;
  throw new TachoError(
    'CONFIG_INVALID',
    `${where}safety.max_cost_usd cannot be checked: models.prices has no price for "${missing}"`,
    {
      facts: { path: 'models.prices', model: missing },
      fix: `Add its price in USD per million tokens, for example: tacho config set 'models.prices."${missing}"' '{input: 1.25, output: 10}'; or set safety.max_tokens instead.`,
    },
  );
}
