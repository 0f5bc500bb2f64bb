import type { Command } from 'commander';

export interface CommonOptions {
  data?: string;
  json?: boolean;
}

/** Options every command has. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--data <folder>', 'where runs are kept (default: $TACHO_HOME, else ~/.tacho)')
    .option('--json', 'answer as JSON');
}
