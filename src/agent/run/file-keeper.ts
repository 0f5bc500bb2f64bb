import type { ChangedFile } from '../../protocol/index.ts';
import type { FileChange } from '../../tools/index.ts';
import { KEEP_LIMITS, type KeepLimits, keepEntry } from '../fork/keep-entry.ts';
import { changesBetween, lookAtWorkspace, type Manifest } from '../fork/manifest.ts';
import { withEntry } from '../fork/walk-workspace.ts';
import { changedFile, versionAfter, versionBefore } from '../state/file-version.ts';
import type { FileVersion } from '../state/state.ts';
import type { Vault } from '../wal/index.ts';
import type { CallFiles, FileKeeper } from './toolbox.ts';

/** Changes beyond this are named and not listed: an event is one line. */
const MAX_LISTED_CHARS = 4 * 1024 * 1024;
const MAX_NAMED = 10;

export interface FileKeeperParts {
  vault: Pick<Vault, 'put'>;
  workspaceRoot: string;
  limits?: Partial<KeepLimits> | undefined;
}

/**
 * Keeps what calls change: through `ToolContext.files` as they report it, and by commands as two looks at the workspace
 * show it. Whatever cannot be kept is named; nothing here makes a call fail.
 */
export function createFileKeeper({ vault, workspaceRoot, limits }: FileKeeperParts): FileKeeper {
  return new Keeper({ vault, root: workspaceRoot, limits: { ...KEEP_LIMITS, ...limits } });
}

interface KeeperParts {
  vault: Pick<Vault, 'put'>;
  root: string;
  limits: KeepLimits;
}

class Keeper implements FileKeeper {
  readonly #parts: KeeperParts;
  /** The last look; null before the first command. */
  #manifest: Manifest | null = null;
  /** Looks come one after the other, whatever calls do. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  async begin({ usesCommands }: { usesCommands: boolean }): Promise<CallFiles> {
    const call = new CallChanges(this.#parts, (change) => this.#touch(change));
    const failure = usesCommands ? await this.#inTurn(() => this.#lookFirst()) : null;
    if (failure !== null) call.name(failure);
    return {
      note: (change) => call.note(change),
      end: async () => {
        if (usesCommands) {
          const failure = await this.#inTurn(() => this.#lookAgain(call));
          if (failure !== null) call.name(failure);
        }
        return call.outcome();
      },
    };
  }

  async #lookFirst(): Promise<void> {
    this.#manifest ??= await lookAtWorkspace({ ...this.#parts, previous: null });
  }

  async #lookAgain(call: CallChanges): Promise<void> {
    const previous = this.#manifest;
    if (!previous) throw new Error('the workspace could not be looked at before');
    const now = await lookAtWorkspace({ ...this.#parts, previous });
    this.#manifest = now;
    for (const change of changesBetween(previous, now)) call.add(change);
    if (now.isCut) call.name(`only ${this.#parts.limits.entries} files and folders were compared`);
    for (const { path, reason } of now.problems) call.name(`${path || 'the workspace'}: ${reason}`);
  }

  /** Why it failed, or null. The next command begins anew then. */
  #inTurn(work: () => Promise<void>): Promise<string | null> {
    const turn = this.#turn.then(work).then(
      () => null,
      (error) => {
        this.#manifest = null;
        return `changes by commands could not be kept: ${error instanceof Error ? error.message : String(error)}`;
      },
    );
    this.#turn = turn;
    return turn;
  }

  /** What a tool has changed is not found again by the next look. */
  #touch({ path, folders = [] }: FileChange): void {
    const manifest = this.#manifest;
    if (!manifest) return;
    // They were empty when they were made.
    for (const folder of folders) manifest.listed.add(folder);
    for (const name of [...folders, path]) {
      withEntry(this.#parts.root, name, (entry) => {
        const allowance = { limits: this.#parts.limits, bytesLeft: this.#parts.limits.totalBytes };
        if (entry) manifest.entries.set(name, keepEntry(entry, this.#parts.vault, allowance));
        else manifest.entries.delete(name);
      });
    }
  }
}

/** The changes of one call. */
class CallChanges {
  readonly #parts: KeeperParts;
  readonly #touch: (change: FileChange) => void;
  readonly #changes = new Map<string, ChangedFile>();
  readonly #reasons = new Set<string>();

  constructor(parts: KeeperParts, touch: (change: FileChange) => void) {
    this.#parts = parts;
    this.#touch = touch;
  }

  note(change: FileChange): void {
    const { path, folders = [] } = change;
    for (const folder of folders) this.#noteFolder(folder);
    const before: FileVersion =
      change.incomplete === undefined
        ? this.#keep(change.before, change.beforeType ?? 'file', change.beforeMode)
        : { key: null, type: 'file', lost: change.incomplete };
    this.add(changedFile(path, before, this.#keep(change.after, 'file', this.#modeOf(path))));
    try {
      this.#touch(change);
    } catch (error) {
      this.name(`${path}: ${(error as Error).message}`);
    }
  }

  add(change: ChangedFile): void {
    const known = this.#changes.get(change.path);
    if (!known) {
      this.#changes.set(change.path, change);
      return;
    }
    this.#changes.set(change.path, changedFile(change.path, versionBefore(known), versionAfter(change)));
  }

  name(reason: string): void {
    this.#reasons.add(reason);
  }

  outcome(): { files?: ChangedFile[]; incomplete?: string } {
    const files = [...this.#changes.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    const listed = this.#withinLine(files);
    for (const { path, before_lost, after_lost } of listed) {
      if (before_lost !== undefined) this.name(`${path} before: ${before_lost}`);
      if (after_lost !== undefined) this.name(`${path}: ${after_lost}`);
    }
    const reasons = [...this.#reasons];
    const more = reasons.length > MAX_NAMED ? `; and ${reasons.length - MAX_NAMED} more` : '';
    return {
      ...(listed.length === 0 ? {} : { files: listed }),
      ...(reasons.length === 0 ? {} : { incomplete: reasons.slice(0, MAX_NAMED).join('; ') + more }),
    };
  }

  #withinLine(files: ChangedFile[]): ChangedFile[] {
    let chars = 0;
    const end = files.findIndex((file) => {
      chars += JSON.stringify(file).length;
      return chars > MAX_LISTED_CHARS;
    });
    if (end < 0) return files;
    this.name(`${files.length - end} more changes did not fit into the log`);
    return files.slice(0, end);
  }

  #noteFolder(path: string): void {
    if (this.#changes.has(path)) return;
    const after = this.#keep(Buffer.alloc(0), 'folder', this.#modeOf(path));
    this.add(changedFile(path, { key: null, type: 'file' }, after));
  }

  #keep(content: Buffer | null, type: FileVersion['type'], mode: number | undefined): FileVersion {
    if (content === null) return { key: null, type: 'file' };
    try {
      return { key: this.#parts.vault.put(content), type, mode };
    } catch (error) {
      return { key: null, type: 'file', lost: `it could not be kept (${(error as Error).message})` };
    }
  }

  #modeOf(path: string): number | undefined {
    try {
      return withEntry(this.#parts.root, path, (entry) => entry && Number(entry.stat.mode) & 0o7777) ?? undefined;
    } catch {
      return undefined;
    }
  }
}
