import path from 'node:path';
import { tool } from '../define-tool.ts';
import type { WalkedEntry } from '../files/walk-folder.ts';

interface ListInput {
  path?: string;
  depth?: number;
  offset?: number;
  limit?: number;
  hidden?: boolean;
}

const DEFAULT_LIMIT = 200;
const SUFFIXES: Readonly<Record<WalkedEntry['type'], string>> = { file: '', folder: '/', link: '@', other: '?' };

export const listDir = tool<ListInput>({
  name: 'list_dir',
  description: 'List a folder of the workspace. Folders end with /, links with @.',
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The folder (default: the workspace)' },
      depth: { type: 'integer', minimum: 1, maximum: 20, description: 'Levels of folders (default: 1)' },
      offset: { type: 'integer', minimum: 1, description: 'Number of the first entry (default: 1)' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 2000,
        description: `Maximum number of entries (default: ${DEFAULT_LIMIT})`,
      },
      hidden: { type: 'boolean', description: 'Include names that begin with a dot (default: false)' },
    },
    additionalProperties: false,
  },
  concurrency: 'shared',
  hasEffects: false,
  actions: ({ path: name = '.' }, { workspaceRoot }) => [{ kind: 'read', path: path.resolve(workspaceRoot, name) }],
  execute: async ({ path: name = '.', depth = 1, offset = 1, limit = DEFAULT_LIMIT, hidden = false }, context) => {
    const skip = (entry: WalkedEntry) => !hidden && entry.name.startsWith('.');
    const lines: string[] = [];
    let count = 0;
    let hasMore = false;
    for await (const entry of context.files.walk(name, { maxDepth: depth, skip, signal: context.signal })) {
      count++;
      if (count < offset) continue;
      hasMore = lines.length === limit;
      if (hasMore) break;
      lines.push(`${entry.path}${SUFFIXES[entry.type]}\n`);
    }
    const next = hasMore ? offset + limit : null;
    const note = next === null ? '' : `[more entries: call again with offset ${next}]\n`;
    return { ok: true, stdout: lines.join('') + note, truncated: hasMore, data: { entries: lines.length, next } };
  },
});
