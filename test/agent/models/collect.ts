import type { AgentModel, ModelChunk, ModelRequest } from '../../../src/agent/models/index.ts';

export const NEVER = new AbortController().signal;

export const SHELL_TOOL: ModelRequest['tools'][number] = {
  type: 'function',
  name: 'shell_command',
  description: 'Runs a command.',
  inputSchema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};

export function userRequest(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    prompt: [
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: [{ type: 'text', text }] },
    ],
    tools: [SHELL_TOOL],
    ...more,
  };
}

export async function groupsOf(
  model: AgentModel,
  request: ModelRequest = userRequest('Go'),
  signal: AbortSignal = NEVER,
): Promise<(readonly ModelChunk[])[]> {
  const groups: (readonly ModelChunk[])[] = [];
  for await (const group of model.stream(request, signal)) groups.push(group);
  return groups;
}

/** A whole response: its parts with their texts and metadata, and how it ended. */
export interface Response {
  parts: { kind: string; text: string; call_id?: string; name?: string; meta?: unknown }[];
  finish: Extract<ModelChunk, { type: 'finish' }> | null;
}

export async function responseOf(model: AgentModel, request?: ModelRequest, signal?: AbortSignal): Promise<Response> {
  return foldChunks((await groupsOf(model, request, signal)).flat());
}

export function foldChunks(chunks: readonly ModelChunk[]): Response {
  const response: Response = { parts: [], finish: null };
  for (const chunk of chunks) {
    if (response.finish) throw new Error('a chunk after the end');
    switch (chunk.type) {
      case 'delta': {
        const { type: _, part, text, ...first } = chunk;
        if (part > response.parts.length) throw new Error(`part ${part} after ${response.parts.length} parts`);
        const known = response.parts[part];
        if (known) known.text += text;
        else response.parts[part] = { ...first, text };
        break;
      }
      case 'meta': {
        const known = response.parts[chunk.part];
        if (!known) throw new Error('metadata of an unknown part');
        known.meta = chunk.meta;
        break;
      }
      case 'finish':
        response.finish = chunk;
    }
  }
  return response;
}

/** The failure of a model, as plain data. */
export async function failureOf(model: AgentModel, request?: ModelRequest, signal?: AbortSignal) {
  try {
    await groupsOf(model, request, signal);
  } catch (error) {
    return error as Error & { error?: unknown };
  }
  throw new Error('the model did not fail');
}
