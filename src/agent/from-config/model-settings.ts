import type { Config } from '../../config/index.ts';
import type { LoopSettings, ModelPrice } from '../settings.ts';
import type { McpServerSettings, ModelSettings } from './agent-settings.ts';
import type { KeyRing } from './key-ring.ts';

/** Services of one's own often need no key, and a script never does. */
const USUAL_KEYS: Readonly<Record<ModelSettings['provider'], string>> = {
  openai_compatible: '',
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  scripted: '',
};

export function modelSettings({ llm, models }: Config, keys: KeyRing): ModelSettings {
  const keyName = llm.api_key_env || USUAL_KEYS[llm.provider] || null;
  return {
    provider: llm.provider,
    baseUrl: llm.base_url || null,
    executor: models.executor || null,
    planner: models.planner || models.executor || null,
    keyName,
    key: keyName === null ? null : keys.find(keyName),
    timeoutMs: llm.timeout_ms,
    requests: llm.requests,
  };
}

export function loopSettings({ llm, models, prompt, tools, safety }: Config): LoopSettings {
  return {
    parallel: tools.parallel,
    history_max_messages: prompt.history_max_messages,
    history_max_chars: prompt.history_max_chars,
    on_overflow: prompt.on_overflow,
    max_retries: llm.max_retries,
    retry_base_ms: llm.retry_base_ms,
    retry_max_ms: llm.retry_max_ms,
    retry_after_max_ms: llm.retry_after_max_ms,
    max_denials: safety.max_denials,
    no_progress_steps: safety.no_progress_steps,
    max_output_tokens: llm.max_output_tokens,
    temperature: llm.temperature,
    prices: Object.fromEntries(Object.entries(models.prices).map(([name, price]) => [name, wholePrice(price)])),
  };
}

export function mcpServers({ mcp }: Config, keys: KeyRing): McpServerSettings[] {
  return Object.entries(mcp.servers)
    .filter(([, { enabled }]) => enabled)
    .map(([name, { command, url, token_env, tools, timeout_ms }]) => ({
      name,
      command: command ?? null,
      url: url ?? null,
      token: token_env === undefined ? null : keys.find(token_env),
      tools,
      timeoutMs: timeout_ms,
    }));
}

function wholePrice({ input, output, cached_input, cache_write }: Config['models']['prices'][string]): ModelPrice {
  return { input, output, cached_input: cached_input ?? input, cache_write: cache_write ?? input };
}
