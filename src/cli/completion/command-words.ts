import type { Command, Option } from 'commander';

/** The kind of value that an argument expects. */
export type ArgumentKind = 'run' | 'session' | 'skill' | 'engine' | 'shell' | 'file';

export interface OptionWords {
  /** `--name`, or the short form of an option without a long one. */
  flag: string;
  description: string;
  /** The kind of its value; null for a switch. */
  value: ArgumentKind | null;
}

/** Options whose value is a run. */
const RUN_OPTIONS: readonly string[] = ['--run-dir', '--against'];

/** The words that can follow a command. */
export interface CommandWords {
  /** For example `terminal read`; empty for tacho itself. */
  path: string;
  commands: readonly { name: string; description: string }[];
  options: readonly OptionWords[];
  argument: ArgumentKind;
}

/** Every command, tacho itself first, as described by its help. */
export function commandWords(program: Command, aliases: readonly CommandWords['commands'][number][]): CommandWords[] {
  const [top, ...rest] = wordsBelow(program, []);
  return [{ ...top!, commands: [...top!.commands, ...aliases] }, ...rest];
}

function wordsBelow(command: Command, names: readonly string[]): CommandWords[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  const words: CommandWords = {
    path: names.join(' '),
    commands: commands.map((one) => ({ name: one.name(), description: one.summary() || one.description() })),
    options: help.visibleOptions(command).map(optionWords),
    argument: argumentOf(command),
  };
  return [words, ...commands.flatMap((one) => wordsBelow(one, [...names, one.name()]))];
}

function optionWords(option: Option): OptionWords {
  const flag = option.long ?? option.short ?? '';
  const takesValue = option.required || option.optional;
  const kind = RUN_OPTIONS.includes(flag) ? 'run' : 'file';
  return { flag, description: option.description, value: takesValue ? kind : null };
}

function argumentOf(command: Command): ArgumentKind {
  const first = command.registeredArguments[0]?.name() ?? '';
  if (/^runs?$/.test(first)) return 'run';
  if (/^sessions?$/.test(first)) return 'session';
  if (/^skills?$/.test(first)) return 'skill';
  if (first === 'shell') return 'shell';
  const takesEngine = command.name() === 'run' || command.name() === 'install' || /^engines?$/.test(first);
  return takesEngine ? 'engine' : 'file';
}
