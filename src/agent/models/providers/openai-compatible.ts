import type { AgentModel } from '../model.ts';
import { streamModel } from '../stream-model.ts';
import { type ApiKey, checkSettings, connectWith, mergeOptions, type ProviderSettings } from './provider-settings.ts';
import { isStrictSchema } from './strict-schema.ts';

/** Where the model is served, and how it is used. */
export interface OpenAICompatibleSettings extends ProviderSettings {
  /** For example `http://127.0.0.1:8080/v1`. */
  baseURL: string;
  /** Left out for servers without one. */
  apiKey?: ApiKey;
  /** The service, as it is logged; `openai-compatible` by default. */
  name?: string;
  /** Whether the server takes a JSON Schema for its answers; true by default. False: it is asked for any JSON object. */
  structuredOutputs?: boolean;
  /** How much a reasoning model thinks. */
  effort?: string;
}

/** A model behind OpenAI's chat completions API: vLLM, llama.cpp, Ollama, LM Studio, OpenRouter and many services. */
export function openaiCompatible(settings: OpenAICompatibleSettings): AgentModel {
  const { model, baseURL, apiKey, headers, name = 'openai-compatible', structuredOutputs = true, effort } = settings;
  checkSettings('openaiCompatible', { model, baseURL, apiKey });
  const own = effort === undefined ? {} : { openaiCompatible: { reasoningEffort: effort } };
  return streamModel({
    id: settings.id ?? `${name}:${model}`,
    idleTimeoutMs: settings.idleTimeoutMs,
    cacheBreakpoints: false,
    providerOptions: ({ outputSchema }) =>
      mergeOptions(
        mergeOptions(own, { openaiCompatible: { strictJsonSchema: isStrictSchema(outputSchema) } }),
        settings.providerOptions,
      ),
    connect: connectWith({
      apiKey,
      headers,
      async load(key) {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
        return createOpenAICompatible({
          name,
          baseURL,
          includeUsage: true,
          supportsStructuredOutputs: structuredOutputs,
          ...(key === null ? {} : { apiKey: key }),
          ...(headers === undefined ? {} : { headers: { ...headers } }),
          ...(settings.fetch === undefined ? {} : { fetch: settings.fetch }),
        }).chatModel(model);
      },
    }),
  });
}
