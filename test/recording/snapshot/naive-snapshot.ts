import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { FsEntry } from '../../../src/protocol/index.ts';

/** The same entries with plain `node:fs`, hashing everything every time. */
export function naiveSnapshot(root: string): FsEntry[] {
  const entries: [Buffer, FsEntry][] = [];
  walk(Buffer.alloc(0));
  return entries.sort(([a], [b]) => a.compare(b)).map(([, entry]) => entry);

  function walk(directory: Buffer): void {
    for (const name of fs.readdirSync(at(directory), { encoding: 'buffer' })) {
      const path = directory.length === 0 ? name : Buffer.concat([directory, Buffer.from('/'), name]);
      const stat = fs.lstatSync(at(path), { bigint: true });
      const type = stat.isFile()
        ? 'file'
        : stat.isDirectory()
          ? 'directory'
          : stat.isSymbolicLink()
            ? 'symlink'
            : 'other';
      const text = path.toString('utf8');
      const valid = Buffer.from(text, 'utf8').equals(path);
      entries.push([
        path,
        {
          path: text,
          ...(valid ? {} : { path_bytes: path.toString('base64') }),
          type,
          size: Number(stat.size),
          mtime_ns: String(stat.mtimeNs),
          mode: Number(stat.mode & 0o7777n),
          inode: String(stat.ino),
          sha256:
            type === 'file'
              ? createHash('sha256')
                  .update(fs.readFileSync(at(path)))
                  .digest('hex')
              : null,
          ...(type === 'symlink' ? { target: fs.readlinkSync(at(path)) } : {}),
        },
      ]);
      if (type === 'directory') walk(path);
    }
  }

  function at(path: Buffer): Buffer {
    return Buffer.concat([Buffer.from(`${root}/`), path]);
  }
}

/** The paths that a diff of two naive snapshots must list. */
export function naiveDiff(before: FsEntry[], after: FsEntry[]) {
  const earlier = new Map(before.map((entry) => [entry.path, entry]));
  const later = new Map(after.map((entry) => [entry.path, entry]));
  const facts = ({ type, mode, sha256, target }: FsEntry) => JSON.stringify([type, mode, sha256, target]);
  return {
    created: after.filter(({ path }) => !earlier.has(path)).map(({ path }) => path),
    modified: after
      .filter((entry) => earlier.has(entry.path) && facts(earlier.get(entry.path)!) !== facts(entry))
      .map(({ path }) => path),
    deleted: before.filter(({ path }) => !later.has(path)).map(({ path }) => path),
  };
}
