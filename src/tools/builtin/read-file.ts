import path from 'node:path';
import { tool } from '../define-tool.ts';
import { splitLines } from '../patch/text-lines.ts';
import { ToolFailure } from '../tool-failure.ts';
import { truncateText } from '../truncate-text.ts';
import { decodeText } from './text-file.ts';

interface ReadInput {
  path: string;
  offset?: number;
  limit?: number;
}

const DEFAULT_LINES = 1000;
const MAX_LINES = 5000;
const MAX_LINE_CHARS = 2000;
const MAX_BYTES = 16 * 1024 * 1024;

export const readFile = tool<ReadInput>({
  name: 'read_file',
  description: 'Read lines of a text file of the workspace, with their numbers.',
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      offset: { type: 'integer', minimum: 1, description: 'Number of the first line (default: 1)' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_LINES,
        description: `Maximum number of lines (default: ${DEFAULT_LINES})`,
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
  concurrency: 'shared',
  hasEffects: false,
  actions: (input, { workspaceRoot }) => [{ kind: 'read', path: path.resolve(workspaceRoot, input.path) }],
  execute: async ({ path: name, offset = 1, limit = DEFAULT_LINES }, { files }) => {
    const { bytes, size, path: found } = await files.read(name, { maxBytes: MAX_BYTES });
    if (size > bytes.length) throw new ToolFailure('too_large', `${JSON.stringify(name)} has ${size} bytes`);
    const lines = splitLines(decodeText(name, bytes, { isWhole: true }));
    if (offset > Math.max(1, lines.length)) {
      const what = `offset ${offset} is after the end of ${JSON.stringify(name)}, which has ${lines.length} lines`;
      throw new ToolFailure('invalid_arguments', what, { data: { lines: lines.length } });
    }
    const shown = lines.slice(offset - 1, offset - 1 + limit);
    const last = offset - 1 + shown.length;
    const width = String(last).length;
    const numbered = shown.map(({ text }, index) => {
      return `${String(offset + index).padStart(width)}\t${truncateText(text, MAX_LINE_CHARS).text}\n`;
    });
    return {
      ok: true,
      stdout: numbered.join(''),
      truncated: last < lines.length || shown.some(({ text }) => text.length > MAX_LINE_CHARS),
      data: { path: found, from: offset, to: last, lines: lines.length },
    };
  },
});
