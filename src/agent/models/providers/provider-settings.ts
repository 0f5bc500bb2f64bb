import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import { TachoError } from '../../../protocol/error-code.ts';
import { ModelFailure } from '../model.ts';
import type { ProviderModel } from '../provider-model.ts';
import type { Connected } from '../stream-model.ts';

/** A key, or a function that is asked for it before each request. */
export type ApiKey = string | (() => string | Promise<string>);

/** What all services have in common. None of it is shown by the model that is made of it. */
export interface ProviderSettings {
  /** The name of the model, as the service knows it. */
  model: string;
  /** As it is logged; the service and the model by default. */
  id?: string;
  headers?: Readonly<Record<string, string>>;
  /** Fails a request when nothing arrives for this long; five minutes by default. */
  idleTimeoutMs?: number;
  /** Further options of the provider package, for every request. */
  providerOptions?: SharedV3ProviderOptions;
  /** Used instead of the global one, for example to go through a proxy. */
  fetch?: typeof globalThis.fetch;
}

/** Checks what the compiler cannot see. Never quotes a value that may hold a key. */
export function checkSettings(service: string, { model, baseURL, apiKey }: CheckedSettings): void {
  const invalid = (what: string, fix: string) => new TachoError('MODEL_INVALID', `${service}: ${what}`, { fix });
  if (typeof model !== 'string' || model.trim() === '') {
    throw invalid('the name of the model is missing', "Pass model, for example { model: 'gpt-5' }.");
  }
  if (!/^https?:\/\/[^\s]+$/i.test(baseURL) || !URL.canParse(baseURL)) {
    throw invalid('baseURL is not an http or https address', "Pass one such as 'http://127.0.0.1:8080/v1'.");
  }
  if (apiKey !== undefined && typeof apiKey !== 'string' && typeof apiKey !== 'function') {
    throw invalid('apiKey is neither a text nor a function', 'Pass the key, or a function that returns it.');
  }
}

interface CheckedSettings {
  model: string;
  baseURL: string;
  apiKey: ApiKey | undefined;
}

/**
 * Connects with the key of the moment. The package is loaded at the first request, and its model is kept for as long as
 * the key stays the same.
 */
export function connectWith({ apiKey, headers = {}, load }: LazyProvider): () => Promise<Connected> {
  let known: { key: string | null; model: ProviderModel } | null = null;
  return async () => {
    const key = typeof apiKey === 'function' ? await apiKey() : (apiKey ?? null);
    if (key === '' || (key !== null && typeof key !== 'string')) throw emptyKey();
    if (known?.key !== key) known = { key, model: await load(key) };
    return { model: known.model, secrets: key === null ? Object.values(headers) : [key, ...Object.values(headers)] };
  };
}

interface LazyProvider {
  apiKey: ApiKey | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  load(key: string | null): Promise<ProviderModel>;
}

function emptyKey(): ModelFailure {
  return new ModelFailure({
    kind: 'auth',
    status: null,
    message: 'the API key of the model is empty; set it, or pass a function that returns it',
    retryable: false,
    retry_after_ms: null,
  });
}

/** Options of the same provider are merged; the later ones win. */
export function mergeOptions(
  one: SharedV3ProviderOptions,
  other: SharedV3ProviderOptions = {},
): SharedV3ProviderOptions {
  const merged = { ...one };
  for (const [provider, options] of Object.entries(other)) merged[provider] = { ...merged[provider], ...options };
  return merged;
}
