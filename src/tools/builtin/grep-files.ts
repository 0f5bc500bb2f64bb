import path from 'node:path';
import type { ToolContext } from '../context.ts';
import { tool } from '../define-tool.ts';
import type { WalkedEntry } from '../files/walk-folder.ts';
import { type FoundLine, flagsOf, startLineSearch } from '../search/line-search.ts';
import { matchesPattern } from '../search/path-pattern.ts';
import { ToolFailure } from '../tool-failure.ts';

interface GrepInput {
  pattern: string;
  path?: string;
  include?: string;
  ignore_case?: boolean;
  files_only?: boolean;
  hidden?: boolean;
  limit?: number;
}

const DEFAULT_LIMIT = 100;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const SKIPPED = new Set(['.git', '.hg', '.svn', 'node_modules']);

export const grepFiles = tool<GrepInput>({
  name: 'grep_files',
  description: 'Search the lines of text files in the workspace for a regular expression (JavaScript syntax).',
  input: {
    type: 'object',
    properties: {
      pattern: { type: 'string', minLength: 1, maxLength: 1000 },
      path: { type: 'string', description: 'File or folder to search (default: the workspace)' },
      include: { type: 'string', maxLength: 200, description: 'Only paths that match, such as **/*.ts or *.md' },
      ignore_case: { type: 'boolean', description: 'Ignore upper and lower case (default: false)' },
      files_only: { type: 'boolean', description: 'Only the names of files that match (default: false)' },
      hidden: { type: 'boolean', description: 'Search names that begin with a dot (default: false)' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 2000,
        description: `Maximum number of lines, or of files (default: ${DEFAULT_LIMIT})`,
      },
    },
    required: ['pattern'],
    additionalProperties: false,
  },
  concurrency: 'shared',
  hasEffects: false,
  actions: ({ path: name = '.' }, { workspaceRoot }) => [{ kind: 'read', path: path.resolve(workspaceRoot, name) }],
  parse: (value) => {
    const input = value as GrepInput;
    try {
      flagsOf(input.pattern);
      return { value: input };
    } catch (error) {
      return { issues: [{ path: ['pattern'], message: (error as Error).message }] };
    }
  },
  execute: async (input, context) => {
    const { pattern, ignore_case = false, files_only = false, limit = DEFAULT_LIMIT } = input;
    const found: (FoundLine & { path: string })[] = [];
    let files = 0;
    const search = startLineSearch({ pattern, ignoreCase: ignore_case, timeoutMs: TIMEOUT_MS, signal: context.signal });
    try {
      for await (const name of filesOf(input, context)) {
        const bytes = await readSearched(name, context);
        if (bytes === null) continue;
        files++;
        const lines = await search.find(bytes, files_only ? 1 : limit + 1 - found.length);
        found.push(...lines.map((line) => ({ ...line, path: name })));
        if (found.length > limit) break;
      }
    } finally {
      await search.close();
    }
    const shown = found.slice(0, limit);
    const hasMore = found.length > limit;
    const text = shown.map(({ path: name, line, text }) => (files_only ? `${name}\n` : `${name}:${line}:${text}\n`));
    const note = hasMore ? `[more than ${limit} were found: narrow the search]\n` : '';
    const data = { found: shown.length, searched_files: files };
    return { ok: true, stdout: text.join('') + note, truncated: hasMore, data };
  },
});

async function* filesOf(
  { path: name = '.', include, hidden = false }: GrepInput,
  { files, signal }: ToolContext,
): AsyncGenerator<string> {
  const real = await files.resolve(name);
  if (real === null) throw new ToolFailure('not_found', `${JSON.stringify(name)} does not exist`);
  const { type, path: relative } = await files.stat(real);
  if (type === 'file') return yield relative;
  const skip = (entry: WalkedEntry) => SKIPPED.has(entry.name) || (!hidden && entry.name.startsWith('.'));
  for await (const entry of files.walk(name, { skip, signal })) {
    if (entry.type === 'file' && (include === undefined || isIncluded(entry.path, include))) yield entry.path;
  }
}

/** A pattern without a slash is about the name alone. */
function isIncluded(file: string, include: string): boolean {
  return matchesPattern(include.includes('/') ? file : path.basename(file), include);
}

/** Null for what is not searched: large files, those that are not text, and those that are gone by now. */
async function readSearched(name: string, { files }: ToolContext): Promise<Buffer | null> {
  try {
    const { bytes, size } = await files.read(name, { maxBytes: MAX_FILE_BYTES });
    return size > bytes.length || bytes.subarray(0, 8192).includes(0) ? null : bytes;
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}
