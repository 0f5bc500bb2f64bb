import type { Command, CommanderError } from 'commander';
import { TachoError } from '../../protocol/index.ts';
import { ALIASES } from '../launch/aliases.ts';
import { suggestCommand } from './guesses.ts';
import { similarWords } from './similar-words.ts';

/** Converts Commander's errors to ours: one format and one exit code for every usage error. */
export function usageError(complaint: CommanderError, command: Command, words: readonly string[]): TachoError {
  const name = fullName(command);
  const see = `See: ${name} --help`;
  const similar = /\(Did you mean (?:one of )?(.+)\?\)/s.exec(complaint.message)?.[1];
  const usage = (message: string, hint?: string) =>
    new TachoError('USAGE', message, { fix: hint === undefined ? see : `${hint} ${see}` });
  const quoted = /'([^']*)'/.exec(complaint.message)?.[1] ?? '';
  switch (complaint.code) {
    case 'commander.unknownCommand':
      return unknownCommand(command, command.args);
    case 'commander.unknownOption':
      return usage(`unknown option "${quoted}" for ${name}`, similar && `Did you mean ${similar}?`);
    case 'commander.missingArgument':
      return usage(`${name} needs an argument: <${quoted}>`);
    case 'commander.optionMissingArgument':
      return usage(`option ${quoted} needs a value`);
    case 'commander.excessArguments':
      if (isImplied(command, words)) return unknownCommand(command.parent!, command.args);
      return usage(excess(name, command));
    default:
      return usage(complaint.message.replace(/^error: /, '').trim());
  }
}

function unknownCommand(group: Command, [word = '', ...rest]: readonly string[]): TachoError {
  const name = fullName(group);
  const see = `See: ${name} --help`;
  const isTop = group.parent === null;
  const suggestion = isTop ? suggestCommand(word, rest) : null;
  const similar = similarWords(word, commandNames(group));
  const hint =
    suggestion ??
    (similar.length === 0
      ? null
      : `Did you mean: ${similar.map((one) => [name, one, ...rest].join(' ')).join(', or: ')}`);
  return new TachoError('UNKNOWN_COMMAND', `unknown command "${isTop ? word : `${name} ${word}`}"`, {
    facts: { command: word },
    fix: hint ?? see,
  });
}

function commandNames(group: Command): string[] {
  const listed = group.createHelp().visibleCommands(group);
  const aliases = group.parent === null ? Object.keys(ALIASES) : listed.flatMap((command) => command.aliases());
  return [...listed.map((command) => command.name()), ...aliases];
}

/** `tacho engines nope`: the group's default command received the word. */
function isImplied(command: Command, words: readonly string[]): boolean {
  const group = command.parent;
  if (!group?.parent) return false;
  return !words.some((word) => word === command.name() || command.aliases().includes(word));
}

function excess(name: string, { registeredArguments, args }: Command): string {
  const extra = args.slice(registeredArguments.length).map((word) => `"${word}"`);
  const most = registeredArguments.length;
  const takes = most === 0 ? 'no arguments' : `only ${registeredArguments.map((one) => `<${one.name()}>`).join(' ')}`;
  return `${name} takes ${takes}, ${most === 0 ? 'got' : 'but also got'} ${extra.join(' ')}`;
}

/** `tacho ledger head` */
export function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}
