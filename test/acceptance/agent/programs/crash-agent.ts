import fs from 'node:fs';
import path from 'node:path';
import {
  type AgentOptions,
  builtinTools,
  call,
  createPolicy,
  type ModelRequest,
  type ScriptStep,
  say,
  scriptedModel,
  type Tool,
} from '../../../../src/agent.ts';

export const RUN = 'run-crash';

/** One thing to do, and how to see in a file whether it is done. */
interface Task {
  id: string;
  call: [name: string, input: Record<string, unknown>];
  file: string;
  isDone(text: string): boolean;
}

const PATCH = `--- a/code.txt
+++ b/code.txt
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
`;

/** The steps of the run: the calls of each are made together. */
const STEPS: Task[][] = [
  [
    {
      id: 'write',
      call: ['file_write', { path: 'a.txt', content: 'written\n' }],
      file: 'a.txt',
      isDone: (text) => text.includes('written'),
    },
    {
      id: 'first',
      call: ['shell_command', { command: 'echo first >> log.txt' }],
      file: 'log.txt',
      isDone: (text) => text.includes('first'),
    },
  ],
  [
    {
      id: 'patch',
      call: ['apply_patch', { patch: PATCH }],
      file: 'code.txt',
      isDone: (text) => text.includes('TWO'),
    },
  ],
  [
    {
      id: 'asked',
      call: ['shell_command', { command: 'echo asked >> log.txt' }],
      file: 'log.txt',
      isDone: (text) => text.includes('asked'),
    },
  ],
];

export const FINAL_FILES = { 'a.txt': 'written\n', 'code.txt': 'one\nTWO\nthree\n', 'log.txt': 'first\nasked\n' };

export function prepareWorkspace(workspace: string): void {
  fs.writeFileSync(path.join(workspace, 'code.txt'), 'one\ntwo\nthree\n');
  fs.writeFileSync(path.join(workspace, 'log.txt'), '');
}

/** Does one step after the other; what has an unknown outcome is verified, and done again only if it is not done. */
function nextTurn(request: ModelRequest): ScriptStep[] {
  const results = resultsIn(request);
  for (const step of STEPS) {
    const steps = step.flatMap((task) => nextCall(task, results) ?? []);
    if (steps.length > 0) return steps;
  }
  return [say('All done.')];
}

function nextCall({ id, call: [name, input], file, isDone }: Task, results: Map<string, string>): ScriptStep | null {
  const result = results.get(id);
  if (result === undefined) return call(name, input, { id });
  if (!result.includes('unknown_outcome')) return null;
  const seen = results.get(`verify-${id}`);
  if (seen === undefined) return call('file_read', { path: file }, { id: `verify-${id}` });
  return isDone(seen) || results.has(`again-${id}`) ? null : call(name, input, { id: `again-${id}` });
}

function resultsIn({ prompt }: ModelRequest): Map<string, string> {
  const results = new Map<string, string>();
  for (const message of prompt) {
    if (message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-result') results.set(part.toolCallId, JSON.stringify(part.output));
    }
  }
  return results;
}

export interface EffectPoints {
  /** Around each effect. */
  at(point: 'entered' | 'left', name: string): void;
}

/** `side` gets a line for every effect that has begun. */
export async function crashAgentOptions(
  workspace: string,
  { side, at }: { side: string } & EffectPoints,
): Promise<AgentOptions> {
  const names = ['file_write', 'shell_command', 'apply_patch', 'file_read'];
  const workspaceRoot = fs.realpathSync(workspace);
  return {
    workspaceRoot,
    model: scriptedModel(nextTurn),
    tools: builtinTools({ names }).map((one) => (one.hasEffects ? counted(one, side, at) : one)),
    policy: await createPolicy({
      workspaceRoot,
      rules: [{ decision: 'ask', command: ['echo', 'asked'] }],
      defaults: { write: 'allow', command: 'allow' },
    }),
    approvals: 'later',
    sandbox: { profile: 'none' },
  };
}

function counted(one: Tool, side: string, at: EffectPoints['at']): Tool {
  return {
    ...one,
    execute: async (input, context) => {
      const name = JSON.stringify(input);
      at('entered', one.name);
      fs.appendFileSync(side, `${name}\n`);
      const answer = await one.execute(input, context);
      at('left', one.name);
      return answer;
    },
  };
}
