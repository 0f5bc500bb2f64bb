import type { ToolKind } from '../protocol/index.ts';
import { keyValuePairs } from './key-value-pairs.ts';
import { oneLine } from './one-line.ts';
import { unwrapShell, unwrapShellWords } from './shell-command.ts';

/** The parts of a tool call that a summary uses; the arguments of an engine can be anything. */
export interface SummarizedCall {
  name: string;
  kind?: ToolKind | undefined;
  arguments?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const LENGTH = 160;
const COMMAND_FIELDS = ['command', 'cmd', 'script', 'code'];
const PATH_FIELDS = ['file_path', 'filePath', 'path', 'absolute_path', 'notebook_path', 'filename', 'file'];
const QUERY_FIELDS = ['query', 'pattern', 'queries', 'q', 'regex', 'search', 'url'];
const TASK_FIELDS = ['description', 'prompt', 'task'];

/** What a call does, in one readable line: the command, the files, the query. Falls back to the tool's name. */
export function summarizeToolCall(call: SummarizedCall): string {
  const fields = fieldsOf(call.arguments);
  return oneLine(ofKind(call, fields) || keyValuePairs(call.arguments, LENGTH) || call.name, LENGTH);
}

function ofKind(call: SummarizedCall, fields: Fields): string {
  switch (call.kind) {
    case 'command':
      return commandOf(call.arguments) || commandOf(firstOf(fields, COMMAND_FIELDS));
    case 'file':
      return filesOf(fields);
    case 'search':
      return textOf(firstOf(fields, QUERY_FIELDS)) || textOf(firstOf(fieldsOf(fields.action), QUERY_FIELDS));
    case 'mcp':
      return mcpTool(call.name, fields);
    case 'agent':
      return textOf(firstOf(fields, TASK_FIELDS));
    case 'other':
      return '';
    case undefined:
      return commandOf(fields.command);
  }
}

function commandOf(value: unknown): string {
  if (typeof value === 'string') return unwrapShell(value);
  return Array.isArray(value) && value.every((word) => typeof word === 'string') ? unwrapShellWords(value) : '';
}

/** Each path with its change, if given; engines that change one file name it in a field. */
function filesOf(fields: Fields): string {
  const { changes } = fields;
  const files: string[] = [];
  if (Array.isArray(changes)) {
    for (const change of changes.slice(0, LENGTH))
      files.push(changeOf(textOf(firstOf(fieldsOf(change), PATH_FIELDS)), change));
  } else {
    for (const [path, change] of Object.entries(fieldsOf(changes)).slice(0, LENGTH)) files.push(changeOf(path, change));
  }
  return files.filter(Boolean).join(', ') || textOf(firstOf(fields, [...PATH_FIELDS, 'paths']));
}

function changeOf(path: string, change: unknown): string {
  const fields = fieldsOf(change);
  const kind = textOf(fields.kind) || textOf(fieldsOf(fields.kind).type) || textOf(fields.type);
  return kind && path ? `${kind} ${path}` : path;
}

/** `server.tool`; the server is an argument, or part of a name such as `mcp__server__tool`. */
function mcpTool(name: string, fields: Fields): string {
  const tool = textOf(fields.tool) || name;
  const server = textOf(fields.server);
  if (server) return `${server}.${tool}`;
  const [, namedServer, namedTool] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return namedServer ? `${namedServer}.${namedTool}` : tool;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function firstOf(fields: Fields, names: readonly string[]): unknown {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

/** A text, or a list of texts; '' for anything else. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? keyValuePairs(value, LENGTH) : '';
}
