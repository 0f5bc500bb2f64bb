import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sayText } from '../../src/demo/answer.ts';
import { type ModelServer, startModelServer } from '../../src/demo/index.ts';
import { toolResultsSincePrompt } from '../../src/demo/model-request.ts';
import { codeBlocks } from '../docs/page.ts';
import { packageUser } from './package-user.ts';

const [program, otherModels] = codeBlocks('README.md', 'js') as [string, string];
const MODEL_LINE = /^const model = scriptedModel\(.*$/m;

/** A service whose model does what the scripted one of the page does. */
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({
    script: ({ turns }) => {
      const toolCall = {
        kind: 'function',
        name: 'file_write',
        arguments: { path: 'hello.txt', content: 'Hello!\n' },
      } as const;
      const isWritten = toolResultsSincePrompt(turns) > 0;
      const answer = isWritten ? sayText('I wrote hello.txt.') : { ...sayText(''), toolCall };
      return { kind: 'answer', answer, fault: 'none' };
    },
  });
});
afterAll(() => server.close());

test('the program has at most 20 lines, and one of them is the model', () => {
  expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  expect(program.match(new RegExp(MODEL_LINE, 'gm'))).toHaveLength(1);
});

test('runs as printed, with the scripted model', async () => {
  await expectWritten(program);
  expect(server.requests()).toEqual([]);
});

test('runs with an OpenAI-compatible service when the model line is replaced', async () => {
  const line = lineWith('openaiCompatible').replace(/http:[^']+/, `${server.url}/v1`);
  await expectWritten(program.replace(MODEL_LINE, line));
  expect(server.requests().at(-1)!.path).toBe('/v1/chat/completions');
});

test('runs with a service of Anthropic when the model line is replaced', async () => {
  const line = lineWith('anthropic').replace('{ ', `{ baseURL: '${server.url}/v1', `);
  await expectWritten(program.replace(MODEL_LINE, line));
  expect(server.requests().at(-1)!.path).toBe('/v1/messages');
});

async function expectWritten(code: string): Promise<void> {
  const user = packageUser();
  fs.writeFileSync(path.join(user.folder, 'agent.mjs'), code);
  const {
    code: exit,
    stdout,
    stderr,
  } = await user.run('agent.mjs', { env: { ANTHROPIC_API_KEY: 'key-of-this-test' } });
  expect(stderr).toBe('');
  const [asked, done, said, ended, replayed] = stdout.split('\n');
  expect(asked).toBe(`? write ${user.folder}/hello.txt`);
  expect(done).toBe('⚙ created hello.txt (7 bytes)');
  expect(said).toBe('I wrote hello.txt.');
  expect(ended).toMatch(new RegExp(`^completed ${user.folder}/\\.tacho/runs/run-[0-9a-f]{16}/events\\.jsonl$`));
  expect(replayed).toMatch(/^\{ identical: true, events: \d+ \}$/);
  expect(exit).toBe(0);
  expect(fs.readFileSync(path.join(user.folder, 'hello.txt'), 'utf8')).toBe('Hello!\n');
}

function lineWith(provider: string): string {
  return otherModels.split('\n').find((line) => line.includes(`${provider}(`))!;
}
