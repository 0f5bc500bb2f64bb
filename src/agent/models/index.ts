export { type LanguageModelOptions, languageModel } from './language-model.ts';
export {
  type AgentModel,
  type ModelChunk,
  ModelFailure,
  type ModelRequest,
  type ModelTool,
  type PromptMessage,
} from './model.ts';
export { allowModelRequests, withModelRequestsForbidden } from './model-requests.ts';
export type { ProviderModel } from './provider-model.ts';
export { type AnthropicSettings, anthropic } from './providers/anthropic.ts';
export { type OpenAISettings, openai } from './providers/openai.ts';
export { type OpenAICompatibleSettings, openaiCompatible } from './providers/openai-compatible.ts';
export type { ApiKey, ProviderSettings } from './providers/provider-settings.ts';
export * from './script.ts';
export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from './scripted-model.ts';
