import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, readRegularFile } from '../../files/index.ts';
import {
  AGENT_RUNS_FOLDER,
  AUDIT_FOLDER,
  attemptFileNames,
  type FsDiff,
  fsDiffSchema,
  type RecordingLevel,
  RUN_RECORD_FILE,
  RUNTIME_FOLDER,
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
  type SnapshotLimits,
  savePreviousSnapshot,
  snapshotFs,
  storeBlobs,
  writeDiff,
  writeSnapshot,
} from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import type { DataHome } from '../data-home.ts';
import { realPath } from '../launch/isolated-environment.ts';

const MAX_DIFF_BYTES = 512 * 1024 * 1024;
const CONTENT_CACHE_BYTES = 1024 * 1024 * 1024;

/**
 * Multiplies the limits after the run: paths covered before must be covered again although files were added, and no
 * program waits.
 */
const AFTER_FACTOR = 2;

/** How much of the workspace to examine and keep. */
export interface SnapshotSettings {
  level: RecordingLevel;
  ignore: readonly string[];
  blob_max_bytes: number;
  /** As configured if a request of an earlier version does not set it. */
  gitignore?: 'apply' | 'skip' | undefined;
  snapshot_entries?: number | undefined;
  snapshot_ms?: number | undefined;
}

/** The changes of an attempt to its workspace: a snapshot before, one after, and the difference. */
export class WorkspaceWatch {
  readonly #folder: RunFolder;
  readonly #attempt: number;
  readonly #root: string;
  readonly #record: RunRecord;
  readonly #home: DataHome;
  readonly #settings: SnapshotSettings;
  readonly #configured: RunContext['config']['recording'];
  #before: Snapshot | null = null;
  #contents: ContentCache | null = null;
  #git: GitContents | null = null;
  /** Files written so far; the first one stays open while the program runs. */
  readonly files: AttemptFile[] = [];

  constructor(
    run: { folder: RunFolder; attempt: number; record: RunRecord },
    { home, config }: Pick<RunContext, 'home' | 'config'>,
    settings: SnapshotSettings,
  ) {
    this.#folder = run.folder;
    this.#attempt = run.attempt;
    this.#root = run.record.workspace_root;
    this.#record = run.record;
    this.#home = home;
    this.#settings = settings;
    this.#configured = config.recording;
  }

  /** When aborted, it leaves no snapshot behind. */
  async before(signal: AbortSignal): Promise<void> {
    if (this.#level === 'minimal' || this.#isDataFolder) return;
    const begun = performance.now();
    this.#contents = this.#level === 'full' ? this.#openContents() : null;
    const previous = loadPreviousSnapshot(this.#snapshotFolder, this.#root);
    const { gitignore = this.#configured.gitignore } = this.#settings;
    const { entries, milliseconds } = this.#limits;
    try {
      this.#before = await snapshotFs(this.#root, this.#settings.ignore, {
        previous,
        contents: this.#contents,
        own: this.#own,
        ignoreFiles: gitignore === 'apply' ? 'read' : 'none',
        limits: { entries, milliseconds: milliseconds - (performance.now() - begun) },
        signal,
      });
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.files.push(await writeSnapshot(this.#before, this.#file('fsBefore'), { hold: true }));
  }

  async after(): Promise<{ diff: FsDiff; entries: number } | null> {
    if (!this.#before) return null;
    const { entries, milliseconds } = this.#limits;
    // The ignore rules are those from before the start, even if the program changed ignore files.
    const after = await snapshotFs(this.#root, this.#before.rules.list, {
      previous: this.#before,
      own: this.#own,
      ignoreFiles: 'previous',
      limits: { entries: entries * AFTER_FACTOR, milliseconds: milliseconds * AFTER_FACTOR },
    });
    this.files.push(await writeSnapshot(after, this.#file('fsAfter')));
    const kept = this.#level === 'full' ? { cache: this.#contentFolder, budget: this.#budget } : null;
    const plain = diffFs(this.#before, after, { injected: new Map(Object.entries(this.#record.live?.injected ?? {})) });
    const diff = kept ? await this.#storeBlobs(plain, kept) : plain;
    this.files.push(writeDiff(diff, this.#file('fsDiff')));
    savePreviousSnapshot(this.#snapshotFolder, after);
    if (this.#contents) pruneContentCache(this.#contents, CONTENT_CACHE_BYTES);
    return { diff, entries: after.entryCount };
  }

  close(): void {
    for (const file of this.files) file.close();
    this.#closeGit();
  }

  /** Like `after`, for an attempt whose recorder died: reads what exists on disk, and completes the rest. */
  async afterCrash(): Promise<{ diff: FsDiff; entries: number } | null> {
    if (!isRegularFile(this.#file('fsBefore'))) return null;
    const diff = this.#readDiff();
    if (diff) return { diff, entries: (await readSnapshot(this.#file('fsAfter'))).entryCount };
    this.#before = await readSnapshot(this.#file('fsBefore'));
    // Partial files that were never part of a complete record.
    for (const kind of ['fsAfter', 'fsDiff'] as const) fs.rmSync(this.#file(kind), { force: true });
    return await this.after();
  }

  #openContents(): ContentCache {
    this.#git = openGitContents(this.#root);
    return openContentCache(this.#contentFolder, { ...this.#budget, isElsewhere: this.#git?.has });
  }

  async #storeBlobs(diff: FsDiff, kept: { cache: string; budget: { largest: number } }): Promise<FsDiff> {
    // After a crash: git may still have contents that the cache lacks.
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

  /** Null if missing or incomplete. */
  #readDiff(): FsDiff | null {
    try {
      return fsDiffSchema.parse(JSON.parse(readRegularFile(this.#file('fsDiff'), { maxBytes: MAX_DIFF_BYTES })));
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

  /** True when the workspace is tacho's own data folder, which contains this record. */
  get #isDataFolder(): boolean {
    const root = realPath(this.#root);
    return [this.#home.root, this.#home.runs].some((folder) => realPath(folder) === root);
  }

  get #limits(): SnapshotLimits {
    const { snapshot_entries, snapshot_ms } = this.#settings;
    return {
      entries: snapshot_entries ?? this.#configured.snapshot_entries,
      milliseconds: snapshot_ms ?? this.#configured.snapshot_ms,
    };
  }

  /** Paths in the workspace that are not part of the work. */
  get #own(): string[] {
    const root = realPath(this.#root);
    const data = path.relative(root, realPath(this.#home.root));
    return [
      `/${RUNTIME_FOLDER}`,
      // Its vaults hold what must not be in a record.
      `/${AGENT_RUNS_FOLDER}`,
      ...(data === '' || data.split('/')[0] === '..' ? [] : [`/${data}`]),
      // Earlier versions let a run work in its run folder.
      ...(root === realPath(this.#folder.path) ? [`/${AUDIT_FOLDER}`, `/${RUN_RECORD_FILE}`] : []),
    ];
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

const MAX_PATHS_NAMED = 20;

/** The paths that the snapshots should cover but do not, and the fix; null if none. */
export function describeIncomplete({ unreadable, not_covered = [] }: FsDiff): Record<string, unknown> | null {
  const cut = not_covered.filter(({ by }) => by === 'recording.snapshot_entries' || by === 'recording.snapshot_ms');
  if (unreadable.length === 0 && cut.length === 0) return null;
  return {
    paths: unreadable.slice(0, MAX_PATHS_NAMED).map(({ path: name }) => name),
    ...(cut.length > 0
      ? {
          not_covered: cut,
          fix: `Raise ${cut.map(({ by }) => by).join(' and ')}, or name large folders in recording.ignore.`,
        }
      : {}),
  };
}
