import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { TachoError } from '../../protocol/error-code.ts';

/**
 * What is used of a model of the AI SDK's provider packages. The packages of specification 4 need Node 22, so this
 * describes both versions by the parts that they share.
 */
export interface ProviderModel {
  readonly specificationVersion: 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ stream: PartStream }>;
}

export interface PartStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** Parts of both versions; version 4 has a few more, which carry nothing that an agent uses. */
export type StreamPart = LanguageModelV3StreamPart;

/** Checks what the compiler cannot see in programs without types. */
export function requireProviderModel(model: unknown): ProviderModel {
  const { specificationVersion: version, doStream } = (model ?? {}) as { [key: string]: unknown };
  if ((version === 'v3' || version === 'v4') && typeof doStream === 'function') return model as ProviderModel;
  const found = typeof version === 'string' ? `it has specification "${version}"` : 'it has no specificationVersion';
  throw new TachoError('MODEL_INVALID', `the model cannot be used: ${found}`, {
    fix: 'Pass a model object of a provider package with specification v3 or v4, for example createAnthropic(…)("model").',
  });
}
