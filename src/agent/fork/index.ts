export { describeRunDiff } from './describe-diff.ts';
export { diffRuns, type FirstDifference, type RunDiff, type StepDifference } from './diff-runs.ts';
export type { ForkEdit } from './edit-event.ts';
export type { ForkOptions, ForkResult, NotRestored } from './fork-run.ts';
export type { KeepLimits } from './keep-entry.ts';
export type { CallSummary, RunSummary, StepSummary } from './run-summary.ts';
