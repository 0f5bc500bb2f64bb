import * as z from 'zod';
import type { FsChange, FsDiff, FsEntry } from '../../../protocol/index.ts';

const MAX_CHANGES = 100_000;

const fileSchema = z.looseObject({
  path: z.string(),
  size: z.int().min(0).optional().catch(undefined),
  mode: z.int().min(0).optional().catch(undefined),
  mtimeMs: z.number().min(0).max(8.64e15).optional().catch(undefined),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullish()
    .catch(undefined),
});
type File = z.infer<typeof fileSchema>;

const diffSchema = z.looseObject({
  created: z.array(z.unknown()).default([]),
  modified: z.array(z.unknown()).default([]),
  deleted: z.array(z.unknown()).default([]),
});

/**
 * `fs-diff.N.json` of another recorder: lists of paths, or of objects with a path. Null if it is not one. Contents are not
 * there, and details of a file only if all are known.
 */
export function readForeignDiff(json: string): FsDiff | null {
  const { data } = diffSchema.safeParse(parsed(json));
  if (!data) return null;
  return {
    format: 'tacho-fs-diff/1',
    created: data.created.slice(0, MAX_CHANGES).flatMap((item) => changeOf(item, 'created')),
    modified: data.modified.slice(0, MAX_CHANGES).flatMap((item) => changeOf(item, 'modified')),
    deleted: data.deleted.slice(0, MAX_CHANGES).flatMap((item) => changeOf(item, 'deleted')),
    unreadable: [],
  };
}

function changeOf(item: unknown, kind: 'created' | 'modified' | 'deleted'): FsChange[] {
  const { data } = fileSchema.safeParse(typeof item === 'string' ? { path: item } : item);
  const path = data && relativePath(data.path);
  if (!data || path === null || path === undefined) return [];
  const entry = entryOf(data, path);
  return [
    {
      path,
      type: 'file',
      before: kind === 'created' ? null : kind === 'deleted' ? entry : null,
      after: kind === 'deleted' ? null : entry,
      before_blob: null,
      after_blob: null,
    },
  ];
}

/** Inside the workspace, and not part of a record. */
function relativePath(path: string): string | null {
  const plain = path.replace(/^\.\//, '');
  const parts = plain.split('/');
  const isWrong =
    plain === '' || plain.length > 4096 || plain.startsWith('/') || plain.includes('\0') || parts.includes('..');
  return isWrong || parts[0] === '.audit' ? null : plain;
}

function entryOf({ size, mode, mtimeMs, sha256 }: File, path: string): FsEntry | null {
  if (size === undefined || mode === undefined || mtimeMs === undefined) return null;
  return {
    path,
    type: 'file',
    size,
    mode,
    mtime_ns: String(BigInt(Math.round(mtimeMs * 1000)) * 1000n),
    sha256: sha256 ?? null,
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return null; // Cut off, or never JSON.
  }
}
