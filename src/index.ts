/** Start, watch and read runs from a program. */
export { loadConfig } from './config/index.ts';
export * from './protocol/index.ts';
export { diffFs, reconstructStreams, snapshotFs, verifyRun } from './recording/index.ts';
export {
  analyzeCompletion,
  buildIsolatedEnv,
  injectTrustAndSkills,
  locateDataHome,
  prepareRun,
  type RunContext,
  type RunOutcome,
  type RunWatcher,
  runPtyWithTrace,
  supervise,
  writeMeta,
} from './runs/index.ts';
