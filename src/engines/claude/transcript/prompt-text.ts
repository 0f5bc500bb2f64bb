import { fieldOf, listOf, textOf } from '../../json-value.ts';

const COMMAND = /<command-name>([^<]*)<\/command-name>/;
const COMMAND_ARGUMENTS = /<command-args>([^<]*)<\/command-args>/;
const SHELL = /^<bash-input>(.*)<\/bash-input>$/s;
/** Blocks that the engine adds in the person's name: outputs of commands, reminders, notices. */
const ADDED =
  /^<(local-command-(stdout|stderr|caveat)|bash-(stdout|stderr)|task-notification|system-reminder|user-memory-input)>/;

/** What a person said or typed; null for a text that the engine added in their name. */
export function promptText(content: unknown): string | null {
  const text = (textOf(content) ?? listOf(content).map(textIn).filter(Boolean).join('\n')).trim();
  const command = COMMAND.exec(text)?.[1];
  if (command !== undefined) return `${command} ${COMMAND_ARGUMENTS.exec(text)?.[1] ?? ''}`.trim();
  const shell = SHELL.exec(text)?.[1];
  if (shell !== undefined) return `!${shell}`;
  return text === '' || ADDED.test(text) ? null : text;
}

function textIn(block: unknown): string {
  return textOf(fieldOf(block, 'text')) ?? '';
}
