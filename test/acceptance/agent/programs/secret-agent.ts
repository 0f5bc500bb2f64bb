import fs from 'node:fs';
import {
  type AgentOptions,
  builtinTools,
  call,
  createPolicy,
  fail,
  say,
  scriptedModel,
  think,
  tool,
} from '../../../../src/agent.ts';

export const RUN = 'run-secret';
/** With characters that each spelling writes in another way. */
export const SECRET = 'tök/en+"wörd\' $42=?& 8f3a91c7';
export const QUESTION = 'Which one?';

const leak = tool({
  name: 'leak',
  description: 'Prints the secret in every way.',
  input: { type: 'object' },
  hasEffects: false,
  execute: () => ({
    ok: true,
    stdout: `plain ${SECRET} url ${encodeURIComponent(SECRET)} json ${JSON.stringify({ SECRET })}`,
    stderr: `base64 ${Buffer.from(`user:${SECRET}`).toString('base64')}`,
    data: { [SECRET]: [SECRET] },
  }),
});

const long = tool({
  name: 'long',
  description: 'Prints much, all of it secret.',
  input: { type: 'object' },
  hasEffects: false,
  execute: () => `${SECRET} `.repeat(20_000),
});

const broken = tool({
  name: 'broken',
  description: 'Throws an error that quotes the secret.',
  input: { type: 'object' },
  execute: () => {
    throw new Error(`cannot log in with ${SECRET}`);
  },
});

export async function secretAgentOptions(workspace: string): Promise<AgentOptions> {
  const workspaceRoot = fs.realpathSync(workspace);
  const turns = [
    [
      think(`I know ${SECRET}.`, { pieces: 5 }),
      say(`The token is ${SECRET}, is it not?`, { pieces: 3 }),
      call('leak', {}),
      call('long', {}),
      call('broken', {}),
    ],
    [call('shell_command', { command: `printenv TOKEN; cat secret.txt; base64 -w0 secret.txt; exit 3` })],
    [call('file_read', { path: 'secret.txt' }), call('file_write', { path: 'copy.txt', content: SECRET })],
    [call('shell_command', { command: `echo asked '${SECRET.replaceAll("'", `'\\''`)}'` }, { pieces: 7 })],
    [call('ask_human', { question: `${QUESTION} ${SECRET}` })],
    [call('unknown_tool', { value: SECRET }), call('leak', `not JSON ${SECRET}`)],
    fail({ kind: 'auth', message: `the key ${SECRET} is not valid` }),
  ];
  return {
    workspaceRoot,
    model: scriptedModel(turns, { position: 'prompt', record: true }),
    tools: [...builtinTools({ names: ['shell_command', 'file_read', 'file_write', 'ask_human'] }), leak, long, broken],
    policy: await createPolicy({
      workspaceRoot,
      rules: [{ decision: 'ask', command: ['echo', 'asked'] }],
      defaults: { write: 'allow', command: 'allow', tool: 'allow' },
    }),
    approvals: 'later',
    human: 'later',
    sandbox: { profile: 'none' },
    env: { TOKEN: SECRET },
    secrets: [{ name: 'TOKEN', value: SECRET }],
    hooks: { afterTool: [({ name }) => (name === 'broken' ? { refuse: `no ${SECRET} here` } : undefined)] },
  };
}
