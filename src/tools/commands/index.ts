export type { Command, CommandOutcome, CommandResult, CommandRunner, OmittedBytes } from './command-runner.ts';
export { type CommandRunnerOptions, createCommandRunner } from './create-runner.ts';
export { type CommandPosture, type OpenCommandsOptions, type OpenedCommands, openCommands } from './open-commands.ts';
