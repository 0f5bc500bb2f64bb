import type { AgentModel } from '../model.ts';
import { streamModel } from '../stream-model.ts';
import { type ApiKey, checkSettings, connectWith, mergeOptions, type ProviderSettings } from './provider-settings.ts';
import { isStrictSchema } from './strict-schema.ts';

/** Where a model of OpenAI is, and how it is used. */
export interface OpenAISettings extends ProviderSettings {
  apiKey: ApiKey;
  /** `https://api.openai.com/v1` by default; the environment is not read. */
  baseURL?: string;
  organization?: string;
  project?: string;
  /** How much a reasoning model thinks, for example `low`, `medium` or `high`. */
  effort?: string;
}

/**
 * A model of OpenAI, by the responses API. Nothing is stored at OpenAI: thoughts come encrypted, and go back to it with
 * the next request.
 */
export function openai(settings: OpenAISettings): AgentModel {
  const { model, apiKey, headers, baseURL = 'https://api.openai.com/v1', organization, project, effort } = settings;
  checkSettings('openai', { model, baseURL, apiKey });
  // Names of models that the package does not know yet: a model that is told how much to think can think.
  const thinking = effort === undefined ? {} : { reasoningEffort: effort, forceReasoning: true };
  return streamModel({
    id: settings.id ?? `openai:${model}`,
    idleTimeoutMs: settings.idleTimeoutMs,
    cacheBreakpoints: false,
    providerOptions: ({ outputSchema }) =>
      mergeOptions(
        { openai: { store: false, strictJsonSchema: isStrictSchema(outputSchema), ...thinking } },
        settings.providerOptions,
      ),
    connect: connectWith({
      apiKey,
      headers,
      async load(key) {
        const { createOpenAI } = await import('@ai-sdk/openai');
        return createOpenAI({
          baseURL,
          apiKey: key ?? '',
          ...(organization === undefined ? {} : { organization }),
          ...(project === undefined ? {} : { project }),
          ...(headers === undefined ? {} : { headers: { ...headers } }),
          ...(settings.fetch === undefined ? {} : { fetch: settings.fetch }),
        }).responses(model);
      },
    }),
  });
}
