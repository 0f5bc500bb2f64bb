import fs from 'node:fs';
import path from 'node:path';
import { openFolder, putBackFolder, type Touch } from '../files/index.ts';
import type { RunFolder } from './run-folder.ts';

/**
 * Keeps the folders of a run open while it is recorded: an open folder can be found wherever a program moves it, and a
 * replaced one is detected.
 */
export class HeldFolders {
  readonly #folder: RunFolder;
  readonly #descriptors: number[] = [];
  /** What earlier attempts have set aside. */
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

  /** The run folder first, because it contains the other one. */
  putBack(): Touch[] {
    const [run, audit] = this.#descriptors;
    const touches = [putBackFolder(run!, this.#folder.path), putBackFolder(audit!, this.#folder.audit)];
    return touches.filter((touch) => touch !== null);
  }

  /** Files and folders that were in the place of a record file and have since been set aside. */
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
