import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import type { AgentModel } from '../models/model.ts';
import { ModelFailure } from '../models/model.ts';
import { anthropic } from '../models/providers/anthropic.ts';
import { openai } from '../models/providers/openai.ts';
import { openaiCompatible } from '../models/providers/openai-compatible.ts';
import { scriptedModel } from '../models/scripted-model.ts';
import type { AgentSettings, ModelSettings } from './agent-settings.ts';
import { readScript } from './script-file.ts';

/** The models of the settings. Sends nothing yet. Throws CONFIG_INVALID or CREDENTIALS_MISSING if something is missing. */
export function modelsFromSettings(settings: AgentSettings): { model: AgentModel; planner: AgentModel } {
  const { executor, planner } = settings.model;
  if (executor === null) {
    throw new TachoError('CONFIG_INVALID', 'models.executor is not set: the agent has no model', {
      facts: { path: 'models.executor' },
      fix: 'Name the model: tacho config set models.executor <model>',
    });
  }
  const model = createModel(executor, settings);
  return { model, planner: planner === null || planner === executor ? model : createModel(planner, settings) };
}

function createModel(name: string, settings: AgentSettings): AgentModel {
  const { provider, baseUrl, timeoutMs, requests } = settings.model;
  const common = { model: name, idleTimeoutMs: timeoutMs, ...(baseUrl === null ? {} : { baseURL: baseUrl }) };
  if (provider === 'scripted') {
    const script = readScript(path.resolve(settings.workspaceRoot, name));
    return scriptedModel(script, { id: `scripted:${path.basename(name)}`, position: 'prompt' });
  }
  if (requests === 'forbid') return forbiddenModel(`${provider}:${name}`);
  switch (provider) {
    case 'openai':
      return openai({ ...common, apiKey: requireKey(settings) });
    case 'anthropic':
      return anthropic({ ...common, apiKey: requireKey(settings) });
    case 'openai_compatible': {
      const key = settings.model.keyName === null ? {} : { apiKey: requireKey(settings) };
      return openaiCompatible({ ...common, ...key, baseURL: requireBaseUrl(settings.model) });
    }
  }
}

function requireKey({ model, ignored, workspaceRoot }: AgentSettings): string {
  if (model.key !== null) return model.key.reveal();
  const isInFile = ignored.some(({ path: name }) => name === model.keyName);
  throw new TachoError('CREDENTIALS_MISSING', `the key of the model service is missing: ${model.keyName} is not set`, {
    facts: { variable: model.keyName },
    fix: isInFile
      ? `The .env of the folder sets it, but is not trusted. To look at it and allow it: tacho trust ${workspaceRoot}`
      : `Set ${model.keyName} in the environment, or name another variable: tacho config set llm.api_key_env <name>`,
  });
}

function requireBaseUrl({ baseUrl }: ModelSettings): string {
  if (baseUrl !== null) return baseUrl;
  throw new TachoError('CONFIG_INVALID', 'llm.base_url is not set, which llm.provider openai_compatible requires', {
    facts: { path: 'llm.base_url' },
    fix: 'Set it, for example: tacho config set llm.base_url http://127.0.0.1:8080/v1',
  });
}

/** For `llm.requests: forbid`: fails before it does anything, without changing what other agents of the process may do. */
function forbiddenModel(id: string): AgentModel {
  return {
    id,
    // biome-ignore lint/correctness/useYield: it fails before the first chunk
    async *stream() {
      const message = `llm.requests is forbid, so "${id}" was not asked; to allow requests: tacho config set llm.requests allow`;
      throw new ModelFailure({ kind: 'forbidden', status: null, message, retryable: false, retry_after_ms: null });
    },
  };
}
