import { DEMO_MODEL } from './route.ts';
import type { Protocol } from './wire/protocol.ts';

/** The list of models, or one of them: every name is a model here. One answer fits OpenAI's and Anthropic's formats. */
export function listModels({ name }: Protocol, id: string | null): unknown {
  if (name === 'gemini') return id === null ? { models: [geminiModel(DEMO_MODEL)] } : geminiModel(id);
  if (id !== null) return openaiModel(id);
  return {
    object: 'list',
    data: [openaiModel(DEMO_MODEL)],
    has_more: false,
    first_id: DEMO_MODEL,
    last_id: DEMO_MODEL,
  };
}

function openaiModel(id: string): unknown {
  return {
    id,
    object: 'model',
    type: 'model',
    display_name: 'Demo model',
    created: 0,
    created_at: new Date(0).toISOString(),
    owned_by: 'tacho',
  };
}

function geminiModel(id: string): unknown {
  return {
    name: `models/${id}`,
    displayName: 'Demo model',
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    inputTokenLimit: 1_000_000,
    outputTokenLimit: 8192,
  };
}
