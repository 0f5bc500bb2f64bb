import type { Command } from 'commander';

export interface RuntimeOptions {
  workspace?: string;
  json?: boolean;
}

/** Options of every command that talks to the daemon of a workspace. */
export function withRuntimeOptions(command: Command): Command {
  return command
    .option('--workspace <folder>', 'workspace whose daemon to use (default: the current folder)')
    .option('--json', 'answer as JSON');
}

/** Prints an answer as JSON or as text. */
export function printAnswer({ json }: RuntimeOptions, answer: object, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : text);
}
