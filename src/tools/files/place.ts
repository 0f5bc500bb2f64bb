import fs from 'node:fs';
import path from 'node:path';
import { descriptorPath, errnoOf, findInside } from '../../files/index.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { FileAccess } from './guarded-paths.ts';

const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;

/** Whether a tool may touch a path of the workspace, which is relative and without links: throws if not. */
export type Gate = (relative: string, access: FileAccess) => void;

/**
 * The workspace, held open. Everything is found by descriptors that stay open while they are used, so nothing that is
 * renamed or linked meanwhile leads elsewhere.
 */
export class Workspace {
  readonly #root: number;
  readonly #path: string;
  readonly #gate: Gate;
  /** Folders that were missing, below the workspace, in the order in which they were made. */
  readonly made: string[] = [];

  constructor(root: string, gate: Gate) {
    this.#root = fs.openSync(root, O_RDONLY | O_DIRECTORY);
    this.#path = fs.readlinkSync(descriptorPath(this.#root));
    this.#gate = gate;
  }

  close(): void {
    fs.closeSync(this.#root);
  }

  /** Finds what a name leads to, through all links. The caller closes the descriptor. */
  async find(name: string, access: FileAccess): Promise<Found> {
    const fd = await findInside(this.#root, name);
    return this.#checked(fd, access);
  }

  /** Finds the folder of a name; the last part of the name need not exist, and is not followed. */
  async findParent(name: string, access: FileAccess, { make = false } = {}): Promise<Found & { base: string }> {
    const wanted = path.resolve(this.#path, name);
    if (wanted === this.#path) throw new ToolFailure('conflict', `${JSON.stringify(name)} is the workspace itself`);
    const fd = make ? await this.#openOrMake(path.dirname(wanted)) : await findInside(this.#root, path.dirname(wanted));
    const base = path.basename(wanted);
    try {
      const relative = path.join(this.#relativeOf(fd), base);
      this.#gate(relative, access);
      return { fd, relative, base };
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  /** A folder inside of one that was found, if it is a folder and not a link to one. */
  openFolder(folder: number, name: string): number {
    return fs.openSync(descriptorPath(folder, name), O_PATH | O_DIRECTORY | O_NOFOLLOW);
  }

  async #openOrMake(folder: string): Promise<number> {
    try {
      return await findInside(this.#root, folder);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    const parent = await this.#openOrMake(path.dirname(folder));
    const name = path.basename(folder);
    try {
      const relative = path.join(this.#relativeOf(parent), name);
      this.#gate(relative, 'write');
      if (makeFolder(descriptorPath(parent, name))) this.made.push(relative);
      return this.openFolder(parent, name);
    } finally {
      fs.closeSync(parent);
    }
  }

  #checked(fd: number, access: FileAccess): Found {
    try {
      const relative = this.#relativeOf(fd);
      this.#gate(relative, access);
      return { fd, relative };
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  #relativeOf(fd: number): string {
    return path.relative(this.#path, fs.readlinkSync(descriptorPath(fd)));
  }
}

/** An open descriptor that can only be looked at, and its path below the workspace without links. */
export interface Found {
  fd: number;
  relative: string;
}

/** False if it exists by now. */
function makeFolder(place: string): boolean {
  try {
    fs.mkdirSync(place);
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  }
}
