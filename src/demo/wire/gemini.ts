import type { Answer } from '../answer.ts';
import { isObject, type JsonObject, objectIn, objectsIn, textIn, textsIn } from '../json-value.ts';
import type { DeclaredTool, ModelRequest, Turn } from '../model-request.ts';
import { problem } from '../problem.ts';
import type { Frame, Protocol } from './protocol.ts';
import { textPieces } from './text-pieces.ts';
import { billOf, TOKENS, type Tokens } from './usage.ts';
import { wireId } from './wire-id.ts';

const STATUS_NAMES: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
};

/** Google's generateContent: gemini. The path contains the model and whether the answer is streamed. */
export const gemini: Protocol = {
  name: 'gemini',
  tokenCount: { totalTokens: TOKENS.input },
  bill: (tokens) => ({ ...billOf(tokens), output_tokens: tokens.output + tokens.reasoning }),

  readRequest(body, path) {
    const contents = objectsIn(body.contents);
    if (contents.length === 0) return problem(400, 'contents must be a list with at least one content');
    const generation = objectIn(body.generationConfig);
    const calling = objectIn(objectIn(body.toolConfig).functionCallingConfig);
    const [onlyAllowed] = calling.mode === 'ANY' ? textsIn(calling.allowedFunctionNames) : [];
    return {
      model: path.model,
      transport: path.transport ?? 'document',
      instructions: textsIn(objectIn(body.systemInstruction).parts).join('\n'),
      turns: contents.flatMap(readTurns),
      tools: objectsIn(body.tools).flatMap(({ functionDeclarations }) => objectsIn(functionDeclarations).map(readTool)),
      forcedTool: onlyAllowed ?? null,
      answerSchema: [generation.responseJsonSchema, generation.responseSchema].find(isObject) ?? null,
      wantsReasoning: objectIn(generation.thinkingConfig).includeThoughts === true,
    };
  },

  document(request, answer) {
    return { ...head(request, answer), candidates: [candidate(answerParts(request, answer), 'STOP')] };
  },

  frames(request, answer) {
    const chunk = head(request, answer);
    const streamed = answerParts(request, answer).flatMap((part) =>
      typeof part.text === 'string' && !part.thought ? textPieces(part.text).map((text) => ({ text })) : [part],
    );
    return [
      ...streamed.map((part): Frame => ({ data: { ...chunk, candidates: [candidate([part])] } })),
      { data: { ...chunk, candidates: [candidate([{ text: '' }], 'STOP')] } },
    ];
  },

  errorBody(status, message) {
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' };
    return {
      error: {
        code: status,
        message,
        status: STATUS_NAMES[status] ?? 'INVALID_ARGUMENT',
        ...(status === 429 ? { details: [retry] } : {}),
      },
    };
  },
};

function readTurns({ role, parts }: JsonObject): Turn[] {
  const spoken = objectsIn(parts).filter(({ thought }) => thought !== true);
  if (role === 'model') return [{ role: 'assistant', texts: textsIn(spoken) }];
  const results = spoken.flatMap(({ functionResponse }) => (isObject(functionResponse) ? [functionResponse] : []));
  const texts = textsIn(spoken);
  return [
    ...results.map(({ response }): Turn => ({ role: 'tool', texts: isObject(response) ? stringsIn(response) : [] })),
    ...(texts.length > 0 ? [{ role: 'user', texts } satisfies Turn] : []),
  ];
}

function stringsIn(response: JsonObject): string[] {
  return Object.values(response).filter((value) => typeof value === 'string');
}

function readTool(declaration: JsonObject): DeclaredTool {
  const parameters = isObject(declaration.parametersJsonSchema)
    ? declaration.parametersJsonSchema
    : objectIn(declaration.parameters);
  return { name: textIn(declaration.name), kind: 'function', parameters };
}

function head({ model }: ModelRequest, { tokens }: Answer): JsonObject {
  return { responseId: wireId('resp'), modelVersion: model, usageMetadata: usageOf(tokens) };
}

function usageOf({ input, cacheRead, output, reasoning }: Tokens): JsonObject {
  return {
    promptTokenCount: input + cacheRead,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    candidatesTokenCount: output,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + cacheRead + output + reasoning,
  };
}

function candidate(parts: JsonObject[], finishReason?: string): JsonObject {
  return { index: 0, content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) };
}

function answerParts({ wantsReasoning }: ModelRequest, { reasoning, text, toolCall }: Answer): JsonObject[] {
  const parts: JsonObject[] = [];
  // Gemini shows only the heading of a thought.
  if (reasoning && wantsReasoning) parts.push({ text: `**Script**\n${reasoning}`, thought: true });
  if (text) parts.push({ text });
  if (toolCall?.kind === 'function') {
    parts.push({ functionCall: { id: wireId('call'), name: toolCall.name, args: toolCall.arguments } });
  }
  return parts;
}
