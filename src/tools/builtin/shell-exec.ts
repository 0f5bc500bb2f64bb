import path from 'node:path';
import { tool } from '../define-tool.ts';
import type { ToolPlace } from '../tool.ts';
import { COMMAND_OPTIONS, type CommandOptions, notableVariables, redactCommand, runCommand } from './command-answer.ts';

interface ExecInput extends CommandOptions {
  argv: string[];
  input?: string;
}

export const shellExec = tool<ExecInput>({
  name: 'shell_exec',
  description: 'Run a program with arguments, without a shell, and wait for its end.',
  input: {
    type: 'object',
    properties: {
      argv: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'The program and its arguments' },
      input: { type: 'string', description: 'Its standard input (default: empty)' },
      ...COMMAND_OPTIONS,
    },
    required: ['argv'],
    additionalProperties: false,
  },
  actions: actionsOf,
  // What is forbidden is forbidden in every folder, so it need not be known yet.
  earlyActions: ({ argv, cwd }, place) => (argv === undefined ? null : actionsOf({ argv, ...(cwd && { cwd }) }, place)),
  redact: redactCommand,
  execute: ({ argv, input, ...options }, context) => runCommand(argv, options, context, { input }),
});

function actionsOf({ argv, cwd = '.', env }: ExecInput, { workspaceRoot }: ToolPlace) {
  return [{ kind: 'program' as const, argv, cwd: path.resolve(workspaceRoot, cwd), ...notableVariables(env) }];
}
