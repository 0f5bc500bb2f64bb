import path from 'node:path';
import { tool } from '../define-tool.ts';
import type { ToolPlace } from '../tool.ts';
import { COMMAND_OPTIONS, type CommandOptions, notableVariables, redactCommand, runCommand } from './command-answer.ts';

interface CommandInput extends CommandOptions {
  command: string;
}

export const shellCommand = tool<CommandInput>({
  name: 'shell_command',
  description: 'Run a command line with bash and wait for its end.',
  input: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1, description: 'The command line for bash -c' },
      ...COMMAND_OPTIONS,
    },
    required: ['command'],
    additionalProperties: false,
  },
  actions: actionsOf,
  earlyActions: ({ command, cwd }, place) =>
    command === undefined ? null : actionsOf({ command, ...(cwd && { cwd }) }, place),
  redact: redactCommand,
  execute: ({ command, ...options }, context) => runCommand(['bash', '-c', command], options, context),
});

function actionsOf({ command, cwd = '.', env }: CommandInput, { workspaceRoot }: ToolPlace) {
  const folder = path.resolve(workspaceRoot, cwd);
  return [{ kind: 'shell' as const, line: command, cwd: folder, ...notableVariables(env) }];
}
