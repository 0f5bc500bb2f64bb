import path from 'node:path';
import { createFileJournal, type TailOptions } from '../../journal/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { AGENT_FORMAT } from './agent-format.ts';
import { readHead } from './head-file.ts';
import { readLog } from './read-log.ts';
import { pathsIn, runPaths } from './run-folder.ts';
import { Vault } from './vault/vault.ts';

/** A run that is read and not written, whether or not a process holds it. */
export interface RecordedRun {
  readonly runId: string;
  readonly locator: string;
  /** What was there when the run was opened. */
  readonly vault: Vault;
  /** All events so far, each line checked. Throws JOURNAL_DAMAGED, with line and reason, if it was changed. */
  read(): AsyncIterable<AgentEvent>;
  /** Events after this one, and those to come, in batches, until `signal` aborts. Lines are not checked. */
  tail(afterSeq: number, options?: TailOptions): AsyncIterable<AgentEvent[]>;
  close(): void;
}

/** Where the log of a run is, whether or not there is one. */
export function walLocator(workspaceRoot: string, runId: string): string {
  return runPaths(workspaceRoot, runId).log;
}

/**
 * Opens the log of a run to read it, also while another process writes it. `locator` is the path of the log; the folder
 * that it is in has the id of the run as its name.
 */
export function openRecordedRun(locator: string): RecordedRun {
  const paths = pathsIn(path.dirname(path.resolve(locator)));
  const vault = Vault.openToRead(paths.vault);
  const journal = createFileJournal({ locate: () => paths.folder, fsync: 'off', format: AGENT_FORMAT });
  return {
    runId: paths.runId,
    locator: paths.log,
    vault,
    read() {
      // Before the log: what it names is in the log already.
      const head = readHead(paths.head, vault);
      return readLog(paths, { heads: head === null ? [] : [head], allowTorn: true });
    },
    tail: (afterSeq, options) => journal.tail(paths.runId, afterSeq, options),
    close: () => vault.close(),
  };
}
