import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fakeEngineIn } from '../support/fake-engine.ts';
import { type Sandbox, sandbox, temporaryFolder } from '../support/tacho.ts';
import { trustFolder } from '../support/trust.ts';
import { codeBlocks } from './page.ts';

const [definition] = codeBlocks('docs/engines.md', 'yaml');
const [wrapper] = codeBlocks('docs/engines.md', 'sh');

/** The commands of the page that begin like this, as words. */
function commandsOf(beginning: string): string[][] {
  const lines = codeBlocks('docs/engines.md', 'bash').flatMap((block) => block.split('\n'));
  return lines.filter((line) => line.startsWith(beginning)).map(wordsOf);
}

/** A shell's reading of a line without anything but words and double quotes. */
function wordsOf(line: string): string[] {
  const [, ...words] = line.replace(/ +#.*/, '').match(/"[^"]*"|\S+/g)!;
  return words.map((word) => word.replaceAll('"', ''));
}

function messagesOf(box: Sandbox, runId: string): string[] {
  const said = box.events(runId).filter(({ event }) => event.type === 'agent.message.final');
  return said.map(({ data }) => (data as { text: string }).text);
}

test('the ten lines of configuration on the page of engines define an engine that runs', async () => {
  expect(
    definition!.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#')).length,
  ).toBeLessThanOrEqual(10);
  const box = sandbox();
  fs.mkdirSync(path.join(box.work, 'config'));
  fs.writeFileSync(path.join(box.work, 'config/tacho.yaml'), definition!);
  trustFolder(box.work, { dataFolder: box.home, env: {} });
  const env = fakeEngineIn(temporaryFolder(), 'my-agent', 'codex-like.mjs');
  const [words] = commandsOf('tacho my-agent ');
  const { code, stderr } = await box.here(words!, { env });
  expect(code, stderr).toBe(0);
  const [runId] = box.runIds();
  expect(messagesOf(box, runId!)).toEqual([JSON.stringify(['work', '--json', '--', 'fix the failing test'])]);
  // The page continues the run; this one has ended, so it has to be reopened.
  const [resume] = commandsOf('tacho resume last ').slice(-1);
  await box.here([resume![0]!, '--reopen', ...resume!.slice(1)], { env });
  const session = '0197aaaa-0000-7000-8000-000000000001';
  expect(JSON.parse(messagesOf(box, runId!)[1]!)).toEqual([
    'work',
    '--json',
    '--session',
    session,
    '--',
    'now update the docs',
  ]);
});

test('the wrapper script on the page of engines is read as the engine it starts', async () => {
  const box = sandbox();
  fs.writeFileSync(path.join(box.work, 'wrapper.sh'), wrapper!, { mode: 0o755 });
  const env = fakeEngineIn(temporaryFolder(), 'codex', 'codex-like.mjs');
  const [words] = commandsOf('tacho run --parse ');
  const { code, stdout, stderr } = await box.here(words!, { env });
  expect(code, stderr).toBe(0);
  const [runId] = box.runIds();
  expect(runId).toContain('-codex-');
  expect(JSON.parse(messagesOf(box, runId!)[0]!)).toEqual([
    'exec',
    '--json',
    '--skip-git-repo-check',
    'fix the failing test',
  ]);
  expect(stdout).toContain('starting codex in');
});
