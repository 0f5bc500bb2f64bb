import type { AgentEvent } from '../../protocol/index.ts';
import { exactData } from '../run/fold-log.ts';
import { versionAfter, versionBefore } from '../state/file-version.ts';
import type { FileVersion } from '../state/state.ts';
import type { Vault } from '../wal/index.ts';
import type { NotRestored } from './fork-run.ts';

/**
 * The files of a run at one of its events: as the last change until then left them, otherwise as the first later change
 * found them.
 */
export class FilesAtEvent {
  /** All paths that the run has changed, as they were at the event. */
  readonly versions = new Map<string, FileVersion>();
  /** Calls after the event whose changes are not all known: they may be in the files as they are now. */
  readonly unknown: NotRestored[] = [];
  readonly #at: number;
  readonly #vault: Pick<Vault, 'getJson'>;
  readonly #later = new Set<string>();

  constructor(at: number, vault: Pick<Vault, 'getJson'>) {
    this.#at = at;
    this.#vault = vault;
  }

  push(event: AgentEvent<'tool_call_finished'>): void {
    const { call_id, result, files = [], incomplete } = exactData(event, this.#vault);
    const isLater = event.seq > this.#at;
    for (const file of files) {
      if (!isLater) this.versions.set(file.path, versionAfter(file));
      else if (!this.versions.has(file.path)) this.versions.set(file.path, versionBefore(file));
      if (isLater) this.#later.add(file.path);
    }
    if (!isLater) return;
    const call = `the call ${call_id} (event ${event.seq})`;
    if (incomplete !== undefined) {
      this.unknown.push({ path: '.', reason: `not all changes by ${call} are known: ${incomplete}` });
    }
    if (result.error_kind === 'unknown_outcome') {
      this.unknown.push({ path: '.', reason: `it is unknown what ${call} changed` });
    }
  }

  /** Whether a later call of the run has changed it, so that it is not any more what it was. */
  isChangedLater(path: string): boolean {
    return this.#later.has(path);
  }
}
