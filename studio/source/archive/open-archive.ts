import { BlobReader, configure, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js';
import { runFoldersIn } from '../../../src/record/index.ts';
import { ArchiveError } from './archive-error.ts';
import { entryContent } from './zip-entry.ts';

/** Files of a run, read out of a zip one by one; only requested files are unpacked. */
export interface Archive {
  /** The name of the folder that holds the run; empty if the files are at the top. */
  readonly folder: string;
  /** As paths relative to the run folder, such as `.audit/events.jsonl`. */
  readonly names: ReadonlySet<string>;
  /** The content of a file; null if there is none. Reading part of a Blob reads only that part. */
  file(name: string): Promise<Blob | null>;
}

/** A record has a few files per attempt, and one for each stored content. */
const MAX_ENTRIES = 200_000;
/** Unpacked files that are cached. */
const KEPT_BYTES = 256 * 1024 * 1024;

// A page that allows only its own code cannot create workers from text.
configure({ useWebWorkers: false });

export async function openArchive(blob: Blob): Promise<Archive> {
  const entries = await readEntries(blob);
  const folder = findRunFolder(entries.keys());
  const files = new Map<string, FileEntry>();
  for (const [name, entry] of entries) if (name.startsWith(folder)) files.set(name.slice(folder.length), entry);
  const kept = new Map<string, Promise<Blob>>();
  return {
    folder: folder.split('/').at(-2) ?? '',
    names: new Set(files.keys()),
    async file(name) {
      const entry = files.get(name);
      if (entry === undefined) return null;
      const content = kept.get(name) ?? entryContent(blob, entry);
      kept.delete(name);
      kept.set(name, content);
      content.catch(() => kept.delete(name));
      forgetOldest(kept, files);
      return content;
    },
  };
}

async function readEntries(blob: Blob): Promise<Map<string, FileEntry>> {
  const entries = new Map<string, FileEntry>();
  try {
    for await (const entry of new ZipReader(new BlobReader(blob)).getEntriesGenerator()) {
      if (entry.directory) continue;
      // Two files with one name: readers would disagree about which one counts.
      if (entries.has(entry.filename)) throw damaged('it holds a file twice', entry.filename);
      if (entries.size >= MAX_ENTRIES) throw damaged(`it holds more than ${MAX_ENTRIES} files`);
      entries.set(entry.filename, entry);
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    const start = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
    const isZip = start[0] === 0x50 && start[1] === 0x4b;
    throw isZip ? damaged((error as Error).message) : new ArchiveError({ kind: 'not_a_zip' }, error);
  }
  return entries;
}

/** The folder with the run record; it may be nested in others. */
function findRunFolder(names: Iterable<string>): string {
  const folders = runFoldersIn(names);
  if (folders.length === 0) throw new ArchiveError({ kind: 'no_run' });
  if (folders.length > 1) throw new ArchiveError({ kind: 'several_runs', count: folders.length });
  return folders[0]!;
}

function forgetOldest(kept: Map<string, Promise<Blob>>, files: ReadonlyMap<string, FileEntry>): void {
  let bytes = 0;
  for (const name of kept.keys()) bytes += files.get(name)!.uncompressedSize;
  for (const name of kept.keys()) {
    if (bytes <= KEPT_BYTES || kept.size === 1) return;
    bytes -= files.get(name)!.uncompressedSize;
    kept.delete(name);
  }
}

function damaged(what: string, file = 'archive'): ArchiveError {
  return new ArchiveError({ kind: 'damaged', file, what });
}
