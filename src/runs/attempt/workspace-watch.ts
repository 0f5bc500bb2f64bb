import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, readRegularFile } from '../../files/index.ts';
import {
  attemptFileNames,
  type FsDiff,
  fsDiffSchema,
  type RecordingLevel,
  type RunRecord,
} from '../../protocol/index.ts';
import {
  type AttemptFile,
  type ContentCache,
  diffFs,
  type GitContents,
  loadPreviousSnapshot,
  openContentCache,
  openGitContents,
  pruneContentCache,
  type RunFolder,
  readSnapshot,
  type Snapshot,
  savePreviousSnapshot,
  snapshotFs,
  storeBlobs,
  writeDiff,
  writeSnapshot,
} from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import type { DataHome } from '../data-home.ts';
import { realPath } from '../launch/isolated-environment.ts';

const LARGEST_DIFF = 512 * 1024 * 1024;
const CONTENT_CACHE_BYTES = 1024 * 1024 * 1024;

/** How much of the workspace is looked at and kept. */
export interface SnapshotSettings {
  level: RecordingLevel;
  ignore: readonly string[];
  blob_max_bytes: number;
}

/** What an attempt does to its workspace: a snapshot before, one after, and the difference. */
export class WorkspaceWatch {
  readonly #folder: RunFolder;
  readonly #attempt: number;
  readonly #root: string;
  readonly #record: RunRecord;
  readonly #home: DataHome;
  readonly #settings: SnapshotSettings;
  #before: Snapshot | null = null;
  #git: GitContents | null = null;
  /** What was written, the first one held open while the program runs. */
  readonly files: AttemptFile[] = [];

  constructor(
    run: { folder: RunFolder; attempt: number; record: RunRecord },
    { home }: Pick<RunContext, 'home'>,
    settings: SnapshotSettings,
  ) {
    this.#folder = run.folder;
    this.#attempt = run.attempt;
    this.#root = run.record.workspace_root;
    this.#record = run.record;
    this.#home = home;
    this.#settings = settings;
  }

  async before(): Promise<void> {
    if (this.#level === 'minimal' || this.#isDataFolder) return;
    const contents = this.#level === 'full' ? this.#openContents() : null;
    const previous = loadPreviousSnapshot(this.#snapshotFolder, this.#root);
    this.#before = await snapshotFs(this.#root, this.#ignored, { previous, contents });
    this.files.push(await writeSnapshot(this.#before, this.#file('fsBefore'), { hold: true }));
  }

  async after(): Promise<{ diff: FsDiff; entries: number } | null> {
    if (!this.#before) return null;
    const after = await snapshotFs(this.#root, this.#ignored, { previous: this.#before });
    this.files.push(await writeSnapshot(after, this.#file('fsAfter')));
    const kept = this.#level === 'full' ? { cache: this.#contentFolder, budget: this.#budget } : null;
    const plain = diffFs(this.#before, after, { injected: new Map(Object.entries(this.#record.live?.injected ?? {})) });
    const diff = kept ? await this.#storeBlobs(plain, kept) : plain;
    this.files.push(writeDiff(diff, this.#file('fsDiff')));
    savePreviousSnapshot(this.#snapshotFolder, after);
    if (kept) pruneContentCache(this.#contentFolder, CONTENT_CACHE_BYTES);
    return { diff, entries: after.entryCount };
  }

  close(): void {
    for (const file of this.files) file.close();
    this.#closeGit();
  }

  /** As `after`, for an attempt of a recorder that died: what it wrote is read from disk, and the rest completed. */
  async afterCrash(): Promise<{ diff: FsDiff; entries: number } | null> {
    if (!isRegularFile(this.#file('fsBefore'))) return null;
    const diff = this.#readDiff();
    if (diff) return { diff, entries: (await readSnapshot(this.#file('fsAfter'))).entryCount };
    this.#before = await readSnapshot(this.#file('fsBefore'));
    // Cut off in the middle: they were never part of a whole record.
    for (const kind of ['fsAfter', 'fsDiff'] as const) fs.rmSync(this.#file(kind), { force: true });
    return await this.after();
  }

  #openContents(): ContentCache {
    this.#git = openGitContents(this.#root);
    return openContentCache(this.#contentFolder, { ...this.#budget, isElsewhere: this.#git?.has });
  }

  async #storeBlobs(diff: FsDiff, kept: { cache: string; budget: { largest: number } }): Promise<FsDiff> {
    // After a crash: git may still have what the cache does not.
    this.#git ??= openGitContents(this.#root);
    const earlier = this.#git?.find ?? null;
    try {
      return await storeBlobs(diff, { root: this.#root, audit: this.#folder.audit, earlier, ...kept });
    } finally {
      this.#closeGit();
    }
  }

  #closeGit(): void {
    this.#git?.close();
    this.#git = null;
  }

  /** Null when it is not there, or cut off. */
  #readDiff(): FsDiff | null {
    try {
      return fsDiffSchema.parse(JSON.parse(readRegularFile(this.#file('fsDiff'), { maxBytes: LARGEST_DIFF })));
    } catch {
      return null;
    }
  }

  get #budget() {
    return { largest: this.#settings.blob_max_bytes };
  }

  get #level() {
    return this.#settings.level;
  }

  /** All that is in it belongs to tacho, this very record too. */
  get #isDataFolder(): boolean {
    const root = realPath(this.#root);
    return [this.#home.root, this.#home.runs].some((folder) => realPath(folder) === root);
  }

  /** A data folder inside the workspace is not part of the work. */
  get #ignored(): string[] {
    const inside = path.relative(realPath(this.#root), realPath(this.#home.root));
    const own = inside !== '' && !inside.startsWith('..') && !path.isAbsolute(inside) ? [`${inside}/`] : [];
    return [...this.#settings.ignore, ...own];
  }

  get #contentFolder(): string {
    return path.join(this.#home.cache, 'contents');
  }

  get #snapshotFolder(): string {
    return path.join(this.#home.cache, 'snapshots');
  }

  #file(kind: 'fsBefore' | 'fsAfter' | 'fsDiff'): string {
    return path.join(this.#folder.audit, attemptFileNames(this.#attempt)[kind]);
  }
}
