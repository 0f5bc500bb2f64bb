export type { Command, CommandOutcome, CommandResult, CommandRunner, OmittedBytes } from './command-runner.ts';
