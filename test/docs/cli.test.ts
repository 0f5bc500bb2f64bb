import { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/all.ts';
import { runProgram } from '../../src/cli/program.ts';
import { expectGenerated, readPage } from './page.ts';

test('the page shows the help of every command', async () => {
  const program = new Command();
  for (const register of COMMANDS) register(program, []);
  const names = program
    .createHelp()
    .visibleCommands(program)
    .map((command) => command.name());
  const commands: string[][] = [[]];
  for (const name of names.filter((name) => name !== 'help')) commands.push(...(await commandsOf([name])));
  for (const command of commands) {
    const name = command.length === 0 ? 'tacho' : command.join('-');
    const help = await helpOf(command);
    expectGenerated('docs/cli.md', `help-${name}`, `\`\`\`text\n${help}\`\`\`\n`);
    expect.soft(linesThatDoNotFit(help), name).toEqual([]);
  }
  const shown = Array.from(readPage('docs/cli.md').matchAll(/<!-- help-([a-z-]+):begin/g), ([, name]) => name);
  expect(shown.sort()).toEqual(commands.map((command) => command.join('-') || 'tacho').sort());
});

test('the help fits into 80 columns and names every command', async () => {
  const help = await helpOf([]);
  const lines = help.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const program = new Command();
  for (const register of COMMANDS) register(program, []);
  const words = new Set(help.match(/[a-z]+/g));
  const missing = program.commands.map((command) => command.name()).filter((name) => !words.has(name));
  expect(missing).toEqual(['supervise', 'complete-runs', 'complete-sessions', 'complete-skills']);
});

test('every command has a short description: imperative, in lower case', () => {
  const program = new Command();
  for (const register of COMMANDS) register(program, []);
  const described = (command: Command): string[] => {
    const listed = command.createHelp().visibleCommands(command);
    return listed.filter((one) => one.name() !== 'help').flatMap((one) => [one.summary(), ...described(one)]);
  };
  const others = described(program).filter((text) => !/^[a-z]+,? .{3,60}[^.]$/.test(text));
  expect(others).toEqual([]);
});

/** Lines of more than 80 columns, and explanations of examples that need a second line. */
function linesThatDoNotFit(help: string): string[] {
  const examples = help.slice(help.search(/^Examples:$/m)).split('\n');
  return [...help.split('\n').filter((line) => line.length > 80), ...examples.filter((line) => /^ {3,}\S/.test(line))];
}

/** The command and all its subcommands, found in their help. */
async function commandsOf(command: readonly string[]): Promise<string[][]> {
  const listed = /^Commands:\n((?: {2}.*\n)+)/m.exec(await helpOf(command))?.[1] ?? '';
  const names = Array.from(listed.matchAll(/^ {2}([a-z-]+)/gm), ([, name]) => name!).filter((name) => name !== 'help');
  const below: string[][] = [];
  for (const name of names) below.push(...(await commandsOf([...command, name])));
  return [[...command], ...below];
}

async function helpOf(command: readonly string[]): Promise<string> {
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  const listening = process.stdout.listeners('error');
  try {
    await runProgram([...command, '--help'], COMMANDS);
  } finally {
    write.mockRestore();
    process.exitCode = 0;
    for (const added of process.stdout.listeners('error')) {
      if (!listening.includes(added)) process.stdout.off('error', added as () => void);
    }
  }
  return text;
}
