import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FilePart,
  LanguageModelV3ToolCallPart,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import { withCacheBreakpoints } from './cache-breakpoints.ts';
import type { ModelRequest, PromptMessage } from './model.ts';
import type { ProviderModel } from './provider-model.ts';

export interface RequestSettings {
  providerOptions?: SharedV3ProviderOptions | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Marks what Anthropic should cache. */
  cacheBreakpoints: boolean;
}

/** A request as a provider takes it. The request itself stays as it is. */
export function callOptions(
  request: ModelRequest,
  { specificationVersion }: ProviderModel,
  { providerOptions, headers, cacheBreakpoints }: RequestSettings,
  abortSignal: AbortSignal,
): LanguageModelV3CallOptions {
  const { outputSchema, maxOutputTokens, temperature } = request;
  const messages = request.prompt.map((message) => asProviderTakesIt(message, specificationVersion));
  const { prompt, tools } = cacheBreakpoints
    ? withCacheBreakpoints({ prompt: messages, tools: request.tools })
    : { prompt: messages, tools: [...request.tools] };
  return {
    prompt,
    abortSignal,
    ...(tools.length === 0 ? {} : { tools }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(outputSchema === undefined ? {} : { responseFormat: { type: 'json', schema: outputSchema, name: 'output' } }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** The same object where nothing has to change, which is nearly always. */
function asProviderTakesIt(message: PromptMessage, version: ProviderModel['specificationVersion']): PromptMessage {
  switch (message.role) {
    case 'assistant':
      if (!message.content.some(isCallWithoutObject)) return message;
      return {
        ...message,
        content: message.content.map((part) => (isCallWithoutObject(part) ? withObject(part) : part)),
      };
    case 'user':
      if (version === 'v3' || !message.content.some(isFile)) return message;
      return { ...message, content: message.content.map((part) => (isFile(part) ? asVersion4(part) : part)) };
    default:
      return message;
  }
}

type Part = Exclude<PromptMessage['content'], string>[number];

/** Models may write any JSON as arguments; services reject all but objects when they come back. */
function isCallWithoutObject(part: Part): part is LanguageModelV3ToolCallPart {
  return (
    part.type === 'tool-call' && (typeof part.input !== 'object' || part.input === null || Array.isArray(part.input))
  );
}

function withObject(part: LanguageModelV3ToolCallPart): LanguageModelV3ToolCallPart {
  return { ...part, input: { value: part.input ?? null } };
}

function isFile(part: Part): part is LanguageModelV3FilePart {
  return part.type === 'file';
}

/** Version 4 says of which kind the data of a file is. */
function asVersion4(part: LanguageModelV3FilePart): LanguageModelV3FilePart {
  const { data } = part;
  const isAddress = data instanceof URL || (typeof data === 'string' && /^https?:\/\//i.test(data));
  const tagged = isAddress ? { type: 'url', url: new URL(data) } : { type: 'data', data };
  return { ...part, data: tagged as unknown as LanguageModelV3FilePart['data'] };
}
