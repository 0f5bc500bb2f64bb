import fs from 'node:fs';
import path from 'node:path';
import { openFolder, putBackFolder, type Touch } from '../files/index.ts';
import type { RunFolder } from './run-folder.ts';

/**
 * Holds on to the folders of a run while it is recorded: an open folder is found again wherever a program moves it, and
 * it is seen when another one has taken its name.
 */
export class HeldFolders {
  readonly #folder: RunFolder;
  readonly #descriptors: number[] = [];
  /** What was set aside before, by earlier attempts. */
  readonly #known: ReadonlySet<string>;

  constructor(folder: RunFolder) {
    this.#folder = folder;
    try {
      for (const place of [folder.path, folder.audit]) this.#descriptors.push(openFolder(place));
      this.#known = new Set(this.#foreign());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The run folder first: the other one is in it. */
  putBack(): Touch[] {
    const [run, audit] = this.#descriptors;
    const touches = [putBackFolder(run!, this.#folder.path), putBackFolder(audit!, this.#folder.audit)];
    return touches.filter((touch) => touch !== null);
  }

  /** What stood where a file of the record belongs, and was set aside since. */
  setAside(): Touch[] {
    return this.#foreign()
      .filter((file) => !this.#known.has(file))
      .map((file) => ({ path: file.replace(/\.\d+\.[0-9a-f]{8}\.foreign$/, ''), what: 'added' }));
  }

  close(): void {
    for (const fd of this.#descriptors.splice(0)) fs.closeSync(fd);
  }

  #foreign(): string[] {
    const { path: run, audit } = this.#folder;
    return [run, audit].flatMap((place) =>
      fs
        .readdirSync(place)
        .filter((name) => name.endsWith('.foreign'))
        .map((name) => path.join(place, name)),
    );
  }
}
