export { allowModelRequests, withModelRequestsForbidden } from '../models/model-requests.ts';
export * from '../models/script.ts';
export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from '../models/scripted-model.ts';
export { type MemoryClock, type MemoryClockOptions, memoryClock } from './memory-clock.ts';
export { type RecordedAnswers, type RecordedCall, type RecordedTools, recordedTools } from './recorded-tools.ts';
export { seededRandom, sequentialIds } from './sequential-ids.ts';
