import type { Command } from 'commander';

/**
 * `tacho skills --json list` as `tacho skills list --json`. Commander would pass such a line to the default command of
 * the group, with `list` as an argument.
 */
export function moveCommandFirst(words: readonly string[], program: Command): readonly string[] {
  const [first = '', ...rest] = words;
  const group = program.commands.find((one) => isCalled(one, first));
  if (!group || group.commands.length === 0) return words;
  const options = group.commands.flatMap((one) => one.options);
  let at = 0;
  while (rest[at]?.startsWith('-')) {
    const option = options.find(({ short, long }) => short === rest[at] || long === rest[at]);
    at += option?.required ? 2 : 1;
  }
  const command = rest[at];
  if (command === undefined || !group.commands.some((one) => isCalled(one, command))) return words;
  return [first, command, ...rest.slice(0, at), ...rest.slice(at + 1)];
}

function isCalled(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}
