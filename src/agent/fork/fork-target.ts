import fs from 'node:fs';
import path from 'node:path';
import { createOnce, errnoOf, isBelow } from '../../files/index.ts';
import { syncFolder } from '../../files/sync-folder.ts';
import { TachoError } from '../../protocol/error-code.ts';
import { AGENT_RUNS_FOLDER } from '../../protocol/index.ts';

/** Below `.tacho` of the new workspace: where the run is put together. Nothing looks for runs there. */
const STAGING = 'unfinished-fork';

/** The folder of a fork while it is being made. The run appears in it in one step, at the end. */
export class ForkTarget {
  /** Absolute, without links. */
  readonly root: string;
  readonly #made: boolean;
  readonly #own: string;

  private constructor(root: string, made: boolean) {
    this.root = root;
    this.#made = made;
    this.#own = path.join(root, path.dirname(AGENT_RUNS_FOLDER));
  }

  /** Takes an empty folder, or makes one. */
  static open(into: string, workspaceRoot: string): ForkTarget {
    const wanted = path.resolve(into);
    const found = fs.lstatSync(wanted, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) throw refused(into, 'is a link', 'Pass the folder itself, or a new one.');
    if (found && !found.isDirectory()) throw refused(into, 'is not a folder', 'Pass a new folder.');
    const real = realOf(wanted);
    if (isBelow(real, fs.realpathSync(workspaceRoot))) {
      throw refused(into, 'is inside the workspace of the run', 'Pass a folder outside of it.');
    }
    if (found && fs.readdirSync(wanted).length > 0) {
      throw refused(into, 'is not empty', 'Pass a new or empty folder.');
    }
    const made = found ? false : fs.mkdirSync(wanted, { recursive: true, mode: 0o777 }) !== undefined;
    const target = new ForkTarget(fs.realpathSync(wanted), made);
    try {
      // Of two forks into one folder, one gets it.
      fs.mkdirSync(target.#own, { mode: 0o700 });
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') throw refused(into, 'is not empty', 'Pass a new or empty folder.');
      throw error;
    }
    return target;
  }

  /** The workspace that the run is written for until `finish`. */
  get staging(): string {
    return path.join(this.#own, STAGING);
  }

  /** The folder of the run, as an empty log expects it. */
  stageRun(runId: string): string {
    const folder = path.join(this.staging, AGENT_RUNS_FOLDER, runId);
    fs.mkdirSync(path.join(folder, 'artifacts'), { recursive: true, mode: 0o700 });
    createOnce(path.join(this.#own, '.gitignore'), '*\n');
    return folder;
  }

  /** From here on the fork is a run. */
  finish(): void {
    const runs = path.join(this.root, AGENT_RUNS_FOLDER);
    fs.renameSync(path.join(this.staging, AGENT_RUNS_FOLDER), runs);
    syncFolder(this.#own);
    fs.rmSync(this.staging, { recursive: true, force: true });
  }

  /** Leaves the folder as it was found. */
  remove(): void {
    for (const name of fs.readdirSync(this.root)) {
      makeRemovable(path.join(this.root, name));
      fs.rmSync(path.join(this.root, name), { recursive: true, force: true });
    }
    if (this.#made) fs.rmdirSync(this.root);
  }
}

/** Where it is or will be, without links. */
function realOf(wanted: string): string {
  for (let at = wanted; ; at = path.dirname(at)) {
    if (fs.lstatSync(at, { throwIfNoEntry: false })) return path.join(fs.realpathSync(at), path.relative(at, wanted));
  }
}

/** Nothing can be removed from a folder without write permission. */
function makeRemovable(place: string): void {
  if (!fs.lstatSync(place).isDirectory()) return;
  fs.chmodSync(place, 0o700);
  for (const name of fs.readdirSync(place)) makeRemovable(path.join(place, name));
}

function refused(into: string, why: string, fix: string): TachoError {
  return new TachoError('USAGE', `cannot fork into "${into}": it ${why}`, { facts: { path: into }, fix });
}
