import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { registerRun } from '../../src/cli/commands/run.ts';
import { expandAlias } from '../../src/cli/launch/aliases.ts';
import { readRunWords } from '../../src/cli/run/run-words.ts';
import { wantedRun } from '../../src/cli/run/wanted-run.ts';
import { DEFAULTS } from '../../src/config/index.ts';
import { engineNames } from '../../src/runs/index.ts';

const context = { config: DEFAULTS };

/** How `tacho` reads the words, without running it; `piped` is its standard input. */
async function wanted(argv: readonly string[], piped = '') {
  const own = expandAlias(argv);
  const dashes = own.indexOf('--');
  const afterDashes = dashes < 0 ? [] : own.slice(dashes + 1);
  const program = new Command();
  registerRun(program, afterDashes);
  const run = program.commands[0]!.exitOverride();
  let made: unknown;
  run.action(async () => {
    const words = readRunWords(run, (word) => engineNames(context).includes(word));
    made = await wantedRun({ words, afterDashes, readPiped: async () => piped }, run.opts(), context);
  });
  await program.exitOverride().parseAsync(dashes < 0 ? own : own.slice(0, dashes), { from: 'user' });
  return JSON.parse(JSON.stringify({ made, options: run.opts() })) as {
    made: Record<string, unknown>;
    options: Record<string, unknown>;
  };
}

describe('a command', () => {
  test.each([
    [
      ['run', 'ls', '-la'],
      ['ls', '-la'],
    ],
    [
      ['run', '--', 'ls', '-la'],
      ['ls', '-la'],
    ],
    [
      ['run', 'npm', 'test', '--', '--watch'],
      ['npm', 'test', '--', '--watch'],
    ],
    [
      ['run', '--', 'git', 'checkout', '--', 'file'],
      ['git', 'checkout', '--', 'file'],
    ],
    [
      ['run', '--', 'codex', '--version'],
      ['codex', '--version'],
    ],
    [
      ['run', 'sh', '--json', '-q', '--help'],
      ['sh', '--json', '-q', '--help'],
    ],
  ])('%j is passed unchanged', async (argv, command) => {
    expect(await wanted(argv)).toEqual({ made: { command }, options: {} });
  });

  test('can have tacho options before its first word', async () => {
    const { made, options } = await wanted(['run', '-q', '--timeout', '5m', '-e', 'A=b', 'env', '-u', 'X']);
    expect(made).toEqual({ command: ['env', '-u', 'X'] });
    expect(options).toEqual({ quiet: true, timeout: '5m', env: ['A=b'] });
  });
});

describe('an engine', () => {
  test.each([
    ['codex', 'fix it'],
    ['codex', 'fix', 'it'],
    ['run', 'codex', 'fix it'],
    ['run', 'codex', '--', 'fix it'],
    ['run', 'codex', 'fix', '--', 'it'],
  ])('takes the prompt of %j', async (...argv) => {
    expect((await wanted(argv)).made).toMatchObject({ engine: 'codex', prompt: 'fix it' });
  });

  test.each([
    ['run', '--model', 'big', 'codex', 'fix it'],
    ['run', 'codex', '--model', 'big', 'fix it'],
    ['run', 'codex', 'fix it', '--model', 'big'],
    ['codex', 'fix', '--model=big', 'it'],
  ])('accepts tacho options anywhere: %j', async (...argv) => {
    expect((await wanted(argv)).made).toMatchObject({ engine: 'codex', prompt: 'fix it', model: 'big' });
  });

  test('takes its prompt from a pipe, or appends the piped text to the prompt', async () => {
    expect((await wanted(['codex'], 'fix it\n')).made).toMatchObject({ prompt: 'fix it\n' });
    expect((await wanted(['codex', 'review'], '+ a\n')).made).toMatchObject({ prompt: 'review\n\n+ a\n' });
    expect((await wanted(['codex', 'review'], ' \n')).made).toMatchObject({ prompt: 'review' });
    await expect(wanted(['codex'], ' \n')).rejects.toMatchObject({ code: 'USAGE', message: 'the prompt is missing' });
  });

  test('does not match a program with a similar name', async () => {
    await expect(wanted(['run', 'codx', 'fix it'])).rejects.toMatchObject({ code: 'COMMAND_NOT_FOUND' });
    await expect(wanted(['run', 'codx', '--model', 'big', '--', 'fix it'])).rejects.toMatchObject({
      code: 'UNKNOWN_ENGINE',
    });
  });
});
