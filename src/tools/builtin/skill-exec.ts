import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PackageFile } from '../../skills/index.ts';
import { tool } from '../define-tool.ts';
import { ToolFailure } from '../tool-failure.ts';
import { COMMAND_OPTIONS, type CommandOptions, notableVariables, redactCommand, runCommand } from './command-answer.ts';
import { asToolFailure, fileOf, findSkill } from './skill-files.ts';

interface ScriptInput extends CommandOptions {
  skill: string;
  script: string;
  args?: string[];
  input?: string;
}

/** For scripts that are not executable files. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  '.sh': 'bash',
  '.bash': 'bash',
  '.py': 'python3',
  '.js': 'node',
  '.mjs': 'node',
  '.cjs': 'node',
};

export const skillExec = tool<ScriptInput>({
  name: 'skill_exec',
  description: 'Run a script of a skill, in the workspace, and wait for its end.',
  input: {
    type: 'object',
    properties: {
      skill: { type: 'string', minLength: 1, description: 'Mention, such as $[team:product].review, or its name' },
      script: { type: 'string', minLength: 1, description: 'Path below the folder of the skill' },
      args: { type: 'array', items: { type: 'string' }, description: 'Arguments of the script' },
      input: { type: 'string', description: 'Its standard input (default: empty)' },
      ...COMMAND_OPTIONS,
    },
    required: ['skill', 'script'],
    additionalProperties: false,
  },
  // Named after the tool: a script that has the name of a harmless program is not that program.
  actions: ({ skill, script, args = [], cwd = '.', env }, { workspaceRoot }) => {
    const argv = ['skill_exec', skill, script, ...args];
    return [{ kind: 'program', argv, cwd: path.resolve(workspaceRoot, cwd), ...notableVariables(env) }];
  },
  redact: redactCommand,
  execute: async ({ skill: argument, script, args = [], input, ...options }, context) => {
    const { skill, files } = await findSkill(argument, context);
    const file = fileOf(files, script, skill);
    const { checkVariables, writePackage } = await import('../../skills/index.ts');
    await asToolFailure(async () => checkVariables(skill, { ...context.env, ...options.env }));
    // Private, and a copy: the script that was found is the one that runs.
    const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'tacho-skill-'));
    try {
      writePackage(folder, skill.name, files);
      const place = path.join(folder, skill.name, script);
      return await runCommand([...startOf(script, file, place), ...args], options, context, { input, read: [folder] });
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
});

function startOf(script: string, { isExecutable }: PackageFile, place: string): string[] {
  if (isExecutable) return [place];
  const interpreter = INTERPRETERS[path.extname(script).toLowerCase()];
  if (interpreter !== undefined) return [interpreter, place];
  const known = Object.keys(INTERPRETERS).join(', ');
  throw new ToolFailure(
    'not_permitted',
    `${JSON.stringify(script)} is not executable, and its name does not end in ${known}`,
  );
}
