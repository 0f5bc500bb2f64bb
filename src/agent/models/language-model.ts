import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { AgentModel } from './model.ts';
import { type ProviderModel, requireProviderModel } from './provider-model.ts';
import { streamModel } from './stream-model.ts';

export interface LanguageModelOptions {
  /** As it is logged; `provider:model` by default. */
  id?: string;
  /** Fails the request when nothing arrives for this long; five minutes by default. */
  idleTimeoutMs?: number;
  /** Options of the provider package for every request. */
  providerOptions?: SharedV3ProviderOptions;
  /** Sent with every request. Values never appear in errors. */
  headers?: Readonly<Record<string, string>>;
  /** Marks what Anthropic should cache; on by default for models of Anthropic. */
  cacheBreakpoints?: boolean;
}

/** An agent's model from any model object of the AI SDK's provider packages (specification v3 or v4). */
export function languageModel(model: ProviderModel, options: LanguageModelOptions = {}): AgentModel {
  const provider = requireProviderModel(model);
  return streamModel({
    ...options,
    id: options.id ?? `${provider.provider.split('.')[0]}:${provider.modelId}`,
    connect: () => ({ model: provider, secrets: [] }),
    cacheBreakpoints: options.cacheBreakpoints ?? provider.provider.includes('anthropic'),
  });
}
