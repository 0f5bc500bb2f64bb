import { describe, expect, test } from 'vitest';
import type { DeclaredTool, ModelRequest } from '../../src/demo/model-request.ts';
import { shellCall, writeCall } from '../../src/demo/tool-choice.ts';

const FILE = { path: 'artifacts/demo.txt', content: 'one\ntwo\n' };
const text = { type: 'string' };

function tool(name: string, properties: Record<string, unknown>, required: string[] = []): DeclaredTool {
  return { name, kind: 'function', parameters: { type: 'object', properties, required } };
}

function request(tools: DeclaredTool[], instructions = ''): ModelRequest {
  const turns = [{ role: 'user' as const, texts: ['go'] }];
  const rest = { forcedTool: null, answerSchema: null, wantsReasoning: true };
  return { model: 'any', transport: 'document', instructions, turns, tools, ...rest };
}

describe('the shell tool is called by its own schema', () => {
  const about = { description: 'One step of the demo script' };
  test.each([
    ['codex', tool('exec_command', { cmd: text, workdir: text }, ['cmd']), { cmd: 'ls' }],
    [
      'codex with a list',
      tool('shell', { command: { type: 'array', items: text } }),
      { command: ['bash', '-lc', 'ls'] },
    ],
    [
      'gemini',
      tool('run_shell_command', { command: text, description: text }, ['command']),
      { command: 'ls', ...about },
    ],
    [
      'qwen',
      tool('run_shell_command', { command: text, is_background: { type: 'boolean' } }, ['command', 'is_background']),
      { command: 'ls', is_background: false },
    ],
    ['claude', tool('Bash', { command: text, timeout: { type: 'number' } }, ['command']), { command: 'ls' }],
    [
      'opencode',
      tool('bash', { command: text, description: text }, ['command', 'description']),
      { command: 'ls', ...about },
    ],
    ['an unknown agent', tool('terminal_run', { script: text }), { script: 'ls' }],
    ['an agent with a tool without a schema', tool('bash', {}), { cmd: 'ls' }],
  ])('%s', (_, declared, given) => {
    const tools = [tool('read_file', { path: text }), declared];
    expect(shellCall(request(tools), 'ls')).toEqual({ kind: 'function', name: declared.name, arguments: given });
  });

  test('codex in code mode runs JavaScript', () => {
    const exec: DeclaredTool = { name: 'exec', kind: 'custom', parameters: {} };
    expect(shellCall(request([exec]), 'echo "a"')).toEqual({
      kind: 'custom',
      name: 'exec',
      input: 'text(await tools.exec_command({"cmd":"echo \\"a\\""}));',
    });
    expect(writeCall(request([exec]), FILE)).toMatchObject({
      input: expect.stringContaining('tools.apply_patch("***'),
    });
  });

  test('a tool that the service runs itself is never called', () => {
    expect(shellCall(request([{ name: 'bash', kind: 'builtin', parameters: {} }]), 'ls')).toBeNull();
    expect(shellCall(request([]), 'ls')).toBeNull();
  });
});

describe('the tool for files is called by its own schema', () => {
  test.each([
    ['gemini', tool('write_file', { file_path: text, content: text }), 'file_path'],
    ['claude', tool('Write', { file_path: text, content: text }), 'file_path'],
    ['opencode', tool('write', { filePath: text, content: text }), 'filePath'],
    ['pi', tool('write', { path: text, content: text }), 'path'],
  ])('%s', (_, declared, property) => {
    expect(writeCall(request([tool('bash', { command: text }), declared]), FILE)).toEqual({
      kind: 'function',
      name: declared.name,
      arguments: { [property]: './artifacts/demo.txt', content: 'one\ntwo\n' },
    });
  });

  test('a patch adds the file line by line', () => {
    const patch = '*** Begin Patch\n*** Add File: artifacts/demo.txt\n+one\n+two\n*** End Patch';
    const custom: DeclaredTool = { name: 'apply_patch', kind: 'custom', parameters: {} };
    expect(writeCall(request([custom]), FILE)).toEqual({ kind: 'custom', name: 'apply_patch', input: patch });
    const declared = tool('apply_patch', { input: text }, ['input']);
    expect(writeCall(request([declared]), FILE)).toMatchObject({ kind: 'function', arguments: { input: patch } });
  });

  test.each([
    ['codex', '<environment_context>\n  <cwd>/a b/c</cwd>\n'],
    ['claude', 'You run here:\n - Primary working directory: /a b/c\n - Is a git repository: false'],
    ['opencode', '<env>\n  Working directory: /a b/c\n'],
    ['pi', 'Current working directory: /a b/c'],
    ['gemini', '- **Workspace Directories:**\n  - /a b/c\n- **Directory'],
    ['qwen', "I'm currently working in the directory: /a b/c\n"],
  ])('%s gives its working folder, and the path is absolute', (_, instructions) => {
    const tools = [tool('write_file', { file_path: text, content: text })];
    expect(writeCall(request(tools, instructions), FILE)).toMatchObject({
      arguments: { file_path: '/a b/c/artifacts/demo.txt' },
    });
  });
});
