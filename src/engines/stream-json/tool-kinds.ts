import type { ToolKind } from '../../protocol/index.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  Bash: 'command',
  PowerShell: 'command',
  run_shell_command: 'command',
  bash_code_execution: 'command',
  code_execution: 'command',
  Read: 'file',
  Write: 'file',
  Edit: 'file',
  MultiEdit: 'file',
  NotebookEdit: 'file',
  read_file: 'file',
  write_file: 'file',
  edit: 'file',
  notebook_edit: 'file',
  text_editor_code_execution: 'file',
  WebSearch: 'search',
  WebFetch: 'search',
  Grep: 'search',
  Glob: 'search',
  web_search: 'search',
  web_fetch: 'search',
  grep_search: 'search',
  glob: 'search',
  Task: 'agent',
  Agent: 'agent',
  agent: 'agent',
};

export function toolKind(name: string): ToolKind {
  if (name.startsWith('mcp__')) return 'mcp';
  return Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other';
}
