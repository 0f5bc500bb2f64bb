import path from 'node:path';
import { tool } from '../define-tool.ts';
import { MAX_OUTPUT_CHARS } from '../registry.ts';
import { decodeText } from './text-file.ts';

interface ReadInput {
  path: string;
  max_bytes?: number;
}

export const fileRead = tool<ReadInput>({
  name: 'file_read',
  description: 'Read a text file of the workspace. For a part of a long file use read_file.',
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      max_bytes: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_OUTPUT_CHARS,
        description: `Maximum number of bytes to read (default: ${MAX_OUTPUT_CHARS})`,
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
  concurrency: 'shared',
  hasEffects: false,
  actions: (input, { workspaceRoot }) => [{ kind: 'read', path: path.resolve(workspaceRoot, input.path) }],
  execute: async ({ path: name, max_bytes = MAX_OUTPUT_CHARS }, { files }) => {
    const { bytes, size, path: found } = await files.read(name, { maxBytes: max_bytes });
    const isWhole = bytes.length >= size;
    const text = decodeText(name, bytes, { isWhole });
    return { ok: true, stdout: text, truncated: !isWhole, data: { path: found, bytes: size } };
  },
});
