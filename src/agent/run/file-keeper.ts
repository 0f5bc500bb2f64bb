import type { FileChange } from '../../tools/index.ts';
import type { Vault } from '../wal/index.ts';
import type { CallFiles, FileKeeper } from './toolbox.ts';

/** Keeps what tools change through `ToolContext.files`. Changes by commands are found by comparing the workspace. */
export function createFileKeeper(vault: Pick<Vault, 'put'>): FileKeeper {
  return {
    begin: () => Promise.resolve(keepNoted(vault)),
  };
}

function keepNoted(vault: Pick<Vault, 'put'>): CallFiles {
  const changes = new Map<string, { before: string | null; after: string | null }>();
  let incomplete: string | undefined;
  const keep = (content: Buffer | null) => (content === null ? null : vault.put(content));
  return {
    note(change: FileChange) {
      const known = changes.get(change.path);
      const before = known ? known.before : keep(change.before);
      changes.set(change.path, { before, after: keep(change.after) });
      incomplete ??= change.incomplete;
    },
    end: () => {
      if (changes.size === 0) return Promise.resolve({});
      const files = [...changes].map(([path, keys]) => ({ path, ...keys }));
      return Promise.resolve({ files, ...(incomplete === undefined ? {} : { incomplete }) });
    },
  };
}
