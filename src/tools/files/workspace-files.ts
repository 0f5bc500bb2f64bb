import fs from 'node:fs';
import path from 'node:path';
import { descriptorPath, isBelow } from '../../files/index.ts';
import { ToolFailure } from '../tool-failure.ts';
import { type FileContent, readFound, replaceFile } from './file-content.ts';
import { fileFailure } from './file-failure.ts';
import { type FileAccess, guardReason } from './guarded-paths.ts';
import { type Found, Workspace } from './place.ts';
import { type WalkedEntry, type WalkOptions, walkFolder } from './walk-folder.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;
const MAX_READ_BYTES = 16 * 1024 * 1024;

export interface WorkspaceFilesOptions {
  /** Whether a policy forbids this file: the reason, or null. `file` is absolute and without links. */
  refuse?: (file: string, access: FileAccess) => string | null;
  /** Told after each change. */
  onChange?: (change: FileChange) => void;
}

/** A file before and after a change; null where it does not exist. Larger files than can be kept have no `before`. */
export interface FileChange {
  /** Below the workspace. */
  path: string;
  before: Buffer | null;
  after: Buffer | null;
  /** What it was before: a link, whose target is `before`, or an empty folder. A file if this is missing. */
  beforeType?: 'link' | 'folder';
  /** Its permission bits before. */
  beforeMode?: number;
  /** Folders that were made for it. */
  folders?: readonly string[];
  /** Why `before` is missing though the file existed. */
  incomplete?: string;
}

export interface WrittenFile {
  /** Below the workspace, without links. */
  path: string;
  created: boolean;
  /** Folders that were made for it. */
  folders: string[];
}

export interface FileEntry {
  path: string;
  type: 'file' | 'folder' | 'link' | 'other';
  size: number;
  mode: number;
  modifiedAt: number;
}

/**
 * The files of a workspace, as tools may use them: nothing outside, whatever is linked or renamed meanwhile, and nothing
 * of tacho's own. Names are relative to the workspace, or absolute. Pipes and devices are refused, never waited for.
 * Everything that cannot be done is a `ToolFailure`.
 */
export class WorkspaceFiles {
  readonly root: string;
  readonly #given: string;
  readonly #options: WorkspaceFilesOptions;

  constructor(root: string, options: WorkspaceFilesOptions = {}) {
    this.#given = path.resolve(root);
    this.root = fs.realpathSync(root);
    this.#options = options;
  }

  /** The absolute path of something that exists, without links; null if it does not exist. */
  resolve(name: string): Promise<string | null> {
    return this.#with(name, async (workspace, name) => {
      const found = await findExisting(workspace, name, 'read');
      return found === null ? null : path.join(this.root, found.path);
    });
  }

  /** The same for a folder that has to exist, such as the one that a command runs in. */
  resolveFolder(name: string): Promise<string> {
    return this.#with(name, async (workspace, name) => {
      const folder = await findFolder(workspace, name);
      fs.closeSync(folder.fd);
      return path.join(this.root, folder.relative);
    });
  }

  /** Fails as `write` would if the name may not be written. */
  checkWrite(name: string): Promise<void> {
    return this.#with(name, async (workspace, name) => {
      for (let at = path.resolve(this.root, name); ; at = path.dirname(at)) {
        const found = await findExisting(workspace, at, 'read');
        if (found === null) continue;
        this.#gate(path.join(found.path, path.relative(at, path.resolve(this.root, name))), 'write');
        return;
      }
    });
  }

  /** A part of a file, from `offset`. */
  read(name: string, { maxBytes = MAX_READ_BYTES, offset = 0 } = {}): Promise<FileContent> {
    return this.#with(name, async (workspace, name) => {
      const found = await workspace.find(name, 'read');
      try {
        return readFound(name, found, { maxBytes, offset });
      } finally {
        fs.closeSync(found.fd);
      }
    });
  }

  /**
   * Replaces a file in one step, or makes it, with the folders that are missing. An existing file keeps its mode, and a
   * link to a file in the workspace stays one.
   */
  write(name: string, content: Uint8Array | string, { mode }: { mode?: number } = {}): Promise<WrittenFile> {
    const bytes = Buffer.from(content as Uint8Array);
    return this.#with(name, async (workspace, name) => {
      const existing = await findExisting(workspace, name, 'write');
      const target = existing === null ? name : path.join(this.root, existing.path);
      const parent = await workspace
        .findParent(target, 'write', { make: existing === null })
        .catch(this.#undo(workspace));
      try {
        const place = descriptorPath(parent.fd, parent.base);
        const old = fs.lstatSync(place, { throwIfNoEntry: false });
        if (old && !old.isFile()) throw new ToolFailure('conflict', `${JSON.stringify(name)} is not a regular file`);
        const change = this.#changeOf(place, parent.relative, bytes);
        replaceFile(parent.fd, parent.base, bytes, mode ?? (old ? old.mode & 0o7777 : undefined));
        if (change) this.#options.onChange?.({ ...change, folders: workspace.made });
        return { path: parent.relative, created: old === undefined, folders: workspace.made };
      } catch (error) {
        return await this.#undo(workspace)(error);
      } finally {
        fs.closeSync(parent.fd);
      }
    });
  }

  /** Removes a file, or a link and not its target, or an empty folder. */
  remove(name: string): Promise<{ path: string }> {
    return this.#remove(name, this.#options.onChange);
  }

  #remove(name: string, onChange: WorkspaceFilesOptions['onChange']): Promise<{ path: string }> {
    return this.#with(name, async (workspace, name) => {
      const parent = await workspace.findParent(name, 'write');
      try {
        const place = descriptorPath(parent.fd, parent.base);
        const isFolder = fs.lstatSync(place).isDirectory();
        const change = this.#changeOf(place, parent.relative, null);
        if (isFolder) fs.rmdirSync(place);
        else fs.unlinkSync(place);
        if (change) onChange?.(change);
        return { path: parent.relative };
      } finally {
        fs.closeSync(parent.fd);
      }
    });
  }

  /** What has this name; a link is not followed. */
  stat(name: string): Promise<FileEntry> {
    return this.#with(name, async (workspace, name) => {
      const isRoot = path.resolve(this.root, name) === this.root;
      const found = isRoot ? await workspace.find(name, 'read') : await workspace.findParent(name, 'read');
      try {
        const stat =
          'base' in found ? fs.lstatSync(descriptorPath(found.fd, found.base as string)) : fs.fstatSync(found.fd);
        return entryOf(found.relative, stat);
      } finally {
        fs.closeSync(found.fd);
      }
    });
  }

  /** What a folder holds, by name, without what tools may not read. */
  list(name: string): Promise<FileEntry[]> {
    return this.#with(name, async (workspace, name) => {
      const folder = await findFolder(workspace, name);
      try {
        const names = fs.readdirSync(descriptorPath(folder.fd)).sort();
        return names.flatMap((entry) => {
          const relative = path.join(folder.relative, entry);
          const stat = fs.lstatSync(descriptorPath(folder.fd, entry), { throwIfNoEntry: false });
          return stat && this.#reasonAgainst(relative, 'read') === null ? [entryOf(relative, stat)] : [];
        });
      } finally {
        fs.closeSync(folder.fd);
      }
    });
  }

  /** Everything below a folder, parents before children and by name. Links are not followed. */
  async *walk(name: string, options: WalkOptions = {}): AsyncGenerator<WalkedEntry> {
    const workspace = new Workspace(this.root, this.#gate);
    try {
      const folder = await findFolder(workspace, this.#real(name)).catch(fileFailure(name));
      const mayRead = (relative: string) => this.#reasonAgainst(relative, 'read') === null;
      yield* walkFolder(workspace, folder, { ...options, mayRead });
    } finally {
      workspace.close();
    }
  }

  /** The workspace may itself be known by a path with links. */
  #real(name: string): string {
    return path.isAbsolute(name) && isBelow(path.normalize(name), this.#given)
      ? path.join(this.root, path.relative(this.#given, name))
      : name;
  }

  async #with<T>(name: string, work: (workspace: Workspace, name: string) => Promise<T>): Promise<T> {
    const workspace = new Workspace(this.root, this.#gate);
    try {
      return await work(workspace, this.#real(name));
    } catch (error) {
      return fileFailure(name)(error);
    } finally {
      workspace.close();
    }
  }

  /** Removes the folders that were made for a file which then could not be. */
  #undo({ made }: Workspace): (error: unknown) => Promise<never> {
    return async (error) => {
      for (const folder of made.toReversed()) await this.#remove(folder, undefined).catch(() => {});
      throw error;
    };
  }

  readonly #gate = (relative: string, access: FileAccess): void => {
    const reason = this.#reasonAgainst(relative, access);
    if (reason !== null) throw new ToolFailure('not_permitted', reason, { data: { path: relative } });
  };

  #reasonAgainst(relative: string, access: FileAccess): string | null {
    return guardReason(relative, access) ?? this.#options.refuse?.(path.join(this.root, relative), access) ?? null;
  }

  #changeOf(place: string, relative: string, after: Buffer | null): FileChange | null {
    if (!this.#options.onChange) return null;
    const stat = fs.lstatSync(place, { throwIfNoEntry: false });
    if (!stat) return { path: relative, before: null, after };
    if (stat.isSymbolicLink()) {
      return { path: relative, before: fs.readlinkSync(place, { encoding: 'buffer' }), beforeType: 'link', after };
    }
    const beforeMode = stat.mode & 0o7777;
    if (stat.isDirectory()) {
      return { path: relative, before: Buffer.alloc(0), beforeType: 'folder', beforeMode, after };
    }
    if (!stat.isFile())
      return { path: relative, before: null, after, incomplete: `${relative} was not a regular file` };
    if (stat.size > MAX_READ_BYTES) {
      return { path: relative, before: null, after, incomplete: `${relative} had ${stat.size} bytes` };
    }
    const fd = fs.openSync(place, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    try {
      return { path: relative, before: fs.readFileSync(fd), beforeMode, after };
    } finally {
      fs.closeSync(fd);
    }
  }
}

/** What a name leads to, if anything. */
async function findExisting(workspace: Workspace, name: string, access: FileAccess): Promise<{ path: string } | null> {
  try {
    const found = await workspace.find(name, access);
    fs.closeSync(found.fd);
    return { path: found.relative };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

async function findFolder(workspace: Workspace, name: string): Promise<Found> {
  const found = await workspace.find(name, 'read');
  if (fs.fstatSync(found.fd).isDirectory()) return found;
  fs.closeSync(found.fd);
  throw new ToolFailure('conflict', `${JSON.stringify(name)} is not a folder`, { data: { path: name } });
}

function entryOf(relative: string, stat: fs.Stats): FileEntry {
  const type = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'other';
  return { path: relative, type, size: stat.size, mode: stat.mode & 0o7777, modifiedAt: stat.mtimeMs };
}
