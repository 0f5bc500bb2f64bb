import type { ToolCall } from './answer.ts';
import { exampleObject, typeOf } from './example-value.ts';
import { type JsonObject, objectIn } from './json-value.ts';
import type { DeclaredTool, ModelRequest } from './model-request.ts';

/**
 * The sentences by which agents name the working folder: codex; claude, opencode and pi; gemini and qwen, new and old.
 */
const FOLDER_SENTENCES = [
  /<cwd>(\/[^<\n]*)<\/cwd>/,
  /working directory:\s*`?(\/[^\n`]*)/i,
  /Workspace Directories:\**\s*\n\s*-\s*(\/[^\n]*)/i,
  /working in the directory:\s*(\/[^\n]*)/i,
];

const SHELLS = ['exec_command', 'shell_command', 'shell', 'run_shell_command', 'Bash', 'bash', 'run_command'];
const COMMAND_NAMES = ['cmd', 'command', 'script'];
const WRITERS = ['write_file', 'Write', 'write', 'create_file'];
const PATH_NAMES = ['file_path', 'filePath', 'absolute_path', 'path', 'file'];
const CONTENT_NAMES = ['content', 'contents', 'text'];
/** Codex in code mode has one custom tool that runs JavaScript, with the other tools inside it. */
const CODE_TOOL = 'exec';

interface TextFile {
  path: string;
  content: string;
}

/** A call of the agent's shell tool, with arguments that match its schema; null without one. */
export function shellCall({ tools }: ModelRequest, command: string): ToolCall | null {
  const tool = findFunction(tools, SHELLS) ?? tools.find(takesCommand);
  if (tool) {
    const property = firstProperty(tool, COMMAND_NAMES);
    const isList = typeOf(propertySchema(tool, property)) === 'array';
    return callFunction(tool, { [property]: isList ? ['bash', '-lc', command] : command });
  }
  if (!isCustom(tools, CODE_TOOL)) return null;
  const input = `text(await tools.exec_command(${JSON.stringify({ cmd: command })}));`;
  return { kind: 'custom', name: CODE_TOOL, input };
}

/** A call of the agent's tool for writing files; null without one. */
export function writeCall(request: ModelRequest, file: TextFile): ToolCall | null {
  const { tools } = request;
  const writer = findFunction(tools, WRITERS);
  if (writer) {
    const path = `${workingFolder(request) ?? '.'}/${file.path}`;
    return callFunction(writer, {
      [firstProperty(writer, PATH_NAMES)]: path,
      [firstProperty(writer, CONTENT_NAMES)]: file.content,
    });
  }
  const patch = addFilePatch(file);
  if (isCustom(tools, 'apply_patch')) return { kind: 'custom', name: 'apply_patch', input: patch };
  const patcher = findFunction(tools, ['apply_patch']);
  if (patcher) return callFunction(patcher, { [firstProperty(patcher, ['input', 'patch'])]: patch });
  if (!isCustom(tools, CODE_TOOL)) return null;
  const input = `text(await tools.apply_patch(${JSON.stringify(patch)}));`;
  return { kind: 'custom', name: CODE_TOOL, input };
}

function addFilePatch({ path, content }: TextFile): string {
  const lines = content.replace(/\n$/, '').split('\n');
  return ['*** Begin Patch', `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), '*** End Patch'].join('\n');
}

function callFunction({ name, parameters }: DeclaredTool, given: JsonObject): ToolCall {
  const about = 'description' in objectIn(parameters.properties) ? { description: 'One step of the demo script' } : {};
  return { kind: 'function', name, arguments: exampleObject(parameters, { ...given, ...about }) };
}

function findFunction(tools: readonly DeclaredTool[], names: readonly string[]): DeclaredTool | undefined {
  const functions = tools.filter(({ kind }) => kind === 'function');
  return names.map((name) => functions.find((tool) => tool.name === name)).find((tool) => tool !== undefined);
}

function isCustom(tools: readonly DeclaredTool[], name: string): boolean {
  return tools.some((tool) => tool.kind === 'custom' && tool.name === name);
}

/** A tool of an unknown agent: its name mentions commands and it has a parameter for one. */
function takesCommand({ kind, name, parameters }: DeclaredTool): boolean {
  const properties = objectIn(parameters.properties);
  return (
    kind === 'function' &&
    /shell|bash|exec|terminal|command/i.test(name) &&
    COMMAND_NAMES.some((property) => property in properties)
  );
}

function firstProperty({ parameters }: DeclaredTool, names: readonly string[]): string {
  const properties = objectIn(parameters.properties);
  return names.find((name) => name in properties) ?? names[0]!;
}

function propertySchema({ parameters }: DeclaredTool, name: string): JsonObject {
  return objectIn(objectIn(parameters.properties)[name]);
}

/** The agent's working folder, for file tools that require absolute paths; null if unknown. */
function workingFolder({ instructions, turns }: ModelRequest): string | null {
  const texts = [instructions, ...turns.filter(({ role }) => role === 'user').flatMap(({ texts }) => texts)];
  for (const text of texts) {
    for (const sentence of FOLDER_SENTENCES) {
      const folder = sentence.exec(text)?.[1]?.trim();
      if (folder) return folder.replace(/(?<=.)\/+$/, '');
    }
  }
  return null;
}
