import { fieldOf, isObject, type JsonObject, listOf, numberOf, textOf } from '../../json-value.ts';

/** Tool calls among the items of a rollout, by the names that `codex exec --json` has for them. */
const TYPES: Readonly<Record<string, string>> = {
  CommandExecution: 'command_execution',
  FileChange: 'file_change',
  McpToolCall: 'mcp_tool_call',
  CollabAgentToolCall: 'collab_tool_call',
  CollabToolCall: 'collab_tool_call',
  WebSearch: 'web_search',
};

/** The item as `codex exec --json` prints it; null when it is not a tool call. */
export function toolItem(item: JsonObject): (JsonObject & { type: string }) | null {
  const type = textOf(item.type) ?? '';
  if (!Object.hasOwn(TYPES, type)) return null;
  const printed = { ...item, type: TYPES[type]! };
  if (type === 'CommandExecution') return { ...printed, command: commandText(item.command) };
  if (type === 'FileChange') return { ...printed, changes: changesOf(item.changes) };
  return printed;
}

/** A command that goes through a shell is what the shell was given. */
export function commandText(command: unknown): string | null {
  if (!Array.isArray(command)) return textOf(command);
  const words = command.filter((word) => typeof word === 'string');
  return words.length === 3 && /^-l?c$/.test(words[1]!) ? words[2]! : words.join(' ');
}

function changesOf(changes: unknown): unknown {
  if (!isObject(changes)) return changes;
  return Object.entries(changes).map(([path, change]) => ({ path, kind: fieldOf(change, 'type') ?? 'update' }));
}

export function durationOf(item: JsonObject): number | null {
  const seconds = numberOf(fieldOf(item.duration, 'secs'));
  return seconds === null ? null : seconds * 1000 + Math.round((numberOf(fieldOf(item.duration, 'nanos')) ?? 0) / 1e6);
}

/** The texts of a message, a thought or an output, whatever their parts are called. */
export function textsOf(content: unknown): string[] {
  const whole = textOf(content);
  if (whole !== null) return [whole];
  return listOf(content)
    .map((part) => textOf(part) ?? textOf(fieldOf(part, 'text')))
    .filter((text) => text !== null && text !== '') as string[];
}
