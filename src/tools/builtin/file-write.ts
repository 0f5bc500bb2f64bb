import path from 'node:path';
import { tool } from '../define-tool.ts';
import type { ToolPlace } from '../tool.ts';

interface WriteInput {
  path: string;
  content: string;
}

export const fileWrite = tool<WriteInput>({
  name: 'file_write',
  description: 'Write a whole file of the workspace, new or existing. Missing folders are made.',
  input: {
    type: 'object',
    properties: { path: { type: 'string', minLength: 1 }, content: { type: 'string' } },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  actions: actionsOf,
  earlyActions: ({ path: name }, place) => (name === undefined ? null : actionsOf({ path: name }, place)),
  redact: ({ path: name, content }, digest) => ({ path: name, content: digest(content) }),
  execute: async ({ path: name, content }, { files }) => {
    const bytes = Buffer.from(content);
    const { path: written, created } = await files.write(name, bytes);
    const data = { path: written, bytes: bytes.length, created };
    return { ok: true, stdout: `${created ? 'created' : 'replaced'} ${written} (${bytes.length} bytes)\n`, data };
  },
});

function actionsOf({ path: name }: Pick<WriteInput, 'path'>, { workspaceRoot }: ToolPlace) {
  return [{ kind: 'write' as const, path: path.resolve(workspaceRoot, name) }];
}
