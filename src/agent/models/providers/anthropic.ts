import type { AgentModel } from '../model.ts';
import { streamModel } from '../stream-model.ts';
import { type ApiKey, checkSettings, connectWith, mergeOptions, type ProviderSettings } from './provider-settings.ts';

/** Where a model of Anthropic is, and how it is used. */
export interface AnthropicSettings extends ProviderSettings {
  apiKey: ApiKey;
  /** `https://api.anthropic.com/v1` by default; the environment is not read. */
  baseURL?: string;
  /** Lets the model think: as much as it wants, or up to a number of tokens. */
  thinking?: 'adaptive' | { budgetTokens: number };
  /** Marks what should be cached; true by default. */
  cacheBreakpoints?: boolean;
}

/** A model of Anthropic. Signed thoughts go back to it with the next request, as it demands. */
export function anthropic(settings: AnthropicSettings): AgentModel {
  const {
    model,
    apiKey,
    headers,
    baseURL = 'https://api.anthropic.com/v1',
    thinking,
    cacheBreakpoints = true,
  } = settings;
  checkSettings('anthropic', { model, baseURL, apiKey });
  const options = mergeOptions(
    {
      anthropic: {
        sendReasoning: true,
        ...(thinking === undefined ? {} : { thinking: thinkingOptions(thinking) }),
      },
    },
    settings.providerOptions,
  );
  return streamModel({
    id: settings.id ?? `anthropic:${model}`,
    idleTimeoutMs: settings.idleTimeoutMs,
    cacheBreakpoints,
    providerOptions: options,
    connect: connectWith({
      apiKey,
      headers,
      async load(key) {
        const { createAnthropic } = await import('@ai-sdk/anthropic');
        return createAnthropic({
          baseURL,
          apiKey: key ?? '',
          ...(headers === undefined ? {} : { headers: { ...headers } }),
          ...(settings.fetch === undefined ? {} : { fetch: settings.fetch }),
        }).messages(model);
      },
    }),
  });
}

function thinkingOptions(thinking: NonNullable<AnthropicSettings['thinking']>) {
  return thinking === 'adaptive' ? { type: thinking } : { type: 'enabled', budgetTokens: thinking.budgetTokens };
}
