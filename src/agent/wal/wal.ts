import { syncFolder } from '../../files/sync-folder.ts';
import { logPlace } from '../../journal/file/log-file.ts';
import { wakeReaders } from '../../journal/file/log-watcher.ts';
import { openWriter } from '../../journal/file/open-writer.ts';
import type { LogWriter } from '../../journal/file/writer.ts';
import { type Claim, createFileJournal, type Repair } from '../../journal/index.ts';
import { AGENT_VERSION, type AgentDraft, type AgentEvent, TachoError } from '../../protocol/index.ts';
import { AGENT_FORMAT } from './agent-format.ts';
import { damaged } from './damage.ts';
import { type Head, HeadFile, readHead } from './head-file.ts';
import { HookCaller, type HookProblem, type WalHook } from './hooks.ts';
import { endsEarly, readLog } from './read-log.ts';
import { checkRunFolder, makeRunFolder, type RunPaths, runPaths } from './run-folder.ts';
import { type SubscribeOptions, Subscription } from './subscription.ts';
import { Vault } from './vault/vault.ts';

export interface OpenWalOptions {
  workspaceRoot: string;
  runId: string;
  /** True: a new run; RUN_EXISTS if it is there. False: an existing run; RUN_NOT_FOUND if it is not. */
  create: boolean;
  hooks?: readonly WalHook[] | undefined;
  hookTimeoutMs?: number | undefined;
  /** Called once for each hook that throws or takes too long. A warning of the process by default. */
  onHookProblem?: ((problem: HookProblem) => void) | undefined;
}

export interface Appended {
  /** Of the first event: its line in the log, from 0. The event's `seq` is one more. */
  line: number;
  events: AgentEvent[];
}

const HOOK_TIMEOUT_MS = 5000;

/**
 * Opens the log of a run to write it. Throws RUN_LOCKED, with the pid of the holder, while another process has it open.
 * What a killed writer left unfinished is repaired.
 */
export async function openWal(options: OpenWalOptions): Promise<Wal> {
  const { workspaceRoot, runId, create } = options;
  const paths = runPaths(workspaceRoot, runId);
  if (create) makeRunFolder(workspaceRoot, paths);
  else checkRunFolder(workspaceRoot, paths);
  const place = logPlace(runId, paths.folder, AGENT_VERSION);
  // A killed process loses nothing that was written. What a power cut may not take is appended with `durable`.
  const { writer, claim } = await openWriter(place, { fsync: 'off', fsyncIntervalMs: 0, format: AGENT_FORMAT });
  let vault: Vault | null = null;
  try {
    vault = Vault.openToWrite(paths.vault, { create: claim.lastSeq === 0 });
    const head = openHead(paths, vault, claim);
    if (claim.lastSeq === 0) syncFolder(paths.folder);
    return new Wal({ paths, writer, claim, vault, ...head, options });
  } catch (error) {
    vault?.close();
    await writer.close();
    throw error;
  }
}

/** Detects at once that the log lost lines at its end, which the chain does not show. */
function openHead(paths: RunPaths, vault: Vault, claim: Claim): { head: Head; headFile: HeadFile } {
  const known = readHead(paths.head, vault);
  if (known === null && claim.lastSeq > 0) {
    throw damaged(paths.head, { reason: 'the signed position of the log is missing' });
  }
  const head = known ?? { seq: 0, chain: claim.head };
  if (head.seq > claim.lastSeq) throw damaged(paths.log, { line: claim.lastSeq, reason: endsEarly(head.seq) });
  const headFile = new HeadFile(paths.head, vault);
  if (known === null) headFile.write(head);
  return { head, headFile };
}

interface WalParts {
  paths: RunPaths;
  writer: LogWriter<AgentDraft, AgentEvent>;
  claim: Claim;
  vault: Vault;
  head: Head;
  headFile: HeadFile;
  options: OpenWalOptions;
}

/** The log of a run, held for writing by this process. */
export class Wal {
  readonly runId: string;
  /** Absolute path of the log. */
  readonly locator: string;
  readonly folder: string;
  readonly artifactsFolder: string;
  /** Contents have to be put before an event that names their keys is appended. */
  readonly vault: Vault;
  /** What was set aside when the log was opened, because its last writer died within a line. */
  readonly repaired: Repair | null;
  readonly #paths: RunPaths;
  readonly #writer: LogWriter<AgentDraft, AgentEvent>;
  readonly #headFile: HeadFile;
  readonly #hooks: HookCaller;
  /** For subscribers that fall behind. */
  readonly #reader = createFileJournal({ locate: () => this.folder, fsync: 'off', format: AGENT_FORMAT });
  readonly #subscriptions = new Set<Subscription>();
  /** The last event that was forced to the disk. */
  #synced: Head;
  #last: Head;
  #publishedSeq: number;
  /** Settles when all appends so far are published; null when they are. */
  #turn: Promise<void> | null = null;
  #syncing: Promise<void> | null = null;
  #nextSync: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor({ paths, writer, claim, vault, head, headFile, options }: WalParts) {
    this.runId = paths.runId;
    this.locator = paths.log;
    this.folder = paths.folder;
    this.artifactsFolder = paths.artifacts;
    this.vault = vault;
    this.repaired = claim.repaired;
    this.#paths = paths;
    this.#writer = writer;
    this.#headFile = headFile;
    this.#synced = head;
    this.#last = { seq: claim.lastSeq, chain: claim.head };
    this.#publishedSeq = claim.lastSeq;
    this.#hooks = new HookCaller({
      hooks: options.hooks ?? [],
      timeoutMs: options.hookTimeoutMs ?? HOOK_TIMEOUT_MS,
      report: options.onHookProblem ?? warn,
      locator: paths.log,
    });
  }

  get lastSeq(): number {
    return this.#last.seq;
  }

  /**
   * Writes at once, in the order of the calls: all of the events or none. Resolves after hooks and subscribers were
   * notified; with `durable`, not before events and vault are on the disk. Rejects with DISK_FULL or RECORDING_FAILED,
   * and a later append can succeed then.
   */
  append(
    drafts: AgentDraft | readonly AgentDraft[],
    { durable = false }: { durable?: boolean } = {},
  ): Promise<Appended> {
    let appended: Appended;
    try {
      appended = this.#write(Array.isArray(drafts) ? drafts : [drafts as AgentDraft], durable);
    } catch (error) {
      return Promise.reject(error);
    }
    if (durable || this.#turn !== null) return this.#publishInTurn(appended, durable);
    this.#publish(appended.events);
    return Promise.resolve(appended);
  }

  /** All events so far, each line checked: JOURNAL_DAMAGED, with line and reason, where anything was changed from outside. */
  read(): AsyncIterable<AgentEvent> {
    return readLog(this.#paths, { heads: [this.#synced, this.#last] });
  }

  /**
   * Events as they are appended, after all earlier ones. Ends when the log is closed. A subscriber that falls behind
   * continues from the file; nothing waits for it.
   */
  subscribe(options: SubscribeOptions = {}): AsyncIterable<AgentEvent> {
    const subscription = new Subscription(
      { lastSeq: () => this.#publishedSeq, read: (afterSeq) => this.#reader.read(this.runId, { afterSeq }) },
      options,
    );
    if (this.#closing === null) this.#subscriptions.add(subscription);
    else subscription.end();
    return this.#deliver(subscription);
  }

  /** Forces everything to the disk and gives the run free. Waits for hooks that are under way, for as long as they may take. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #write(drafts: readonly AgentDraft[], durable: boolean): Appended {
    const line = this.#last.seq;
    if (this.#closing !== null) throw this.#lost('it was closed');
    if (drafts.length === 0) return { line, events: [] };
    // Before effects only: as long as this process holds the lock, another one takes the run only if the lock was removed
    // by hand, and the look costs as much as the write.
    if (durable && !this.#writer.isSole()) throw this.#lost('another process writes it now');
    const events = this.#writer.write(drafts, { checksEnd: durable });
    const { seq, chain } = events[events.length - 1]!;
    this.#last = { seq, chain };
    return { line, events };
  }

  async #publishInTurn(appended: Appended, durable: boolean): Promise<Appended> {
    const synced = durable ? this.#sync() : null;
    // Events that could not be forced to the disk are in the log all the same.
    const turn: Promise<void> = Promise.allSettled([this.#turn, synced]).then(() => {
      this.#publish(appended.events);
      if (this.#turn === turn) this.#turn = null;
    });
    this.#turn = turn;
    await turn;
    await synced;
    return appended;
  }

  #publish(events: readonly AgentEvent[]): void {
    if (events.length === 0) return;
    this.#publishedSeq = events[events.length - 1]!.seq;
    this.#hooks.call(events);
    for (const subscription of this.#subscriptions) subscription.publish(events);
    wakeReaders(this.locator);
  }

  async *#deliver(subscription: Subscription): AsyncGenerator<AgentEvent, void, undefined> {
    try {
      yield* subscription.events();
    } finally {
      this.#subscriptions.delete(subscription);
    }
  }

  /** Appends that arrive during a sync share the next one. */
  #sync(): Promise<void> {
    if (this.#syncing === null) return this.#startSync();
    this.#nextSync ??= this.#syncing.then(
      () => this.#startNextSync(),
      () => this.#startNextSync(),
    );
    return this.#nextSync;
  }

  #startNextSync(): Promise<void> {
    this.#nextSync = null;
    return this.#startSync();
  }

  #startSync(): Promise<void> {
    const syncing = this.#forceToDisk().finally(() => {
      if (this.#syncing === syncing) this.#syncing = null;
    });
    this.#syncing = syncing;
    return syncing;
  }

  async #forceToDisk(): Promise<void> {
    const head = this.#last;
    await Promise.all([this.vault.sync(), this.#writer.synced({ durable: true })]);
    // Only now: it must never name an event that a power cut can take.
    if (head.seq > this.#synced.seq) this.#headFile.write(head);
    this.#synced = head;
  }

  async #close(): Promise<void> {
    try {
      await this.#turn;
      if (this.#last.seq > this.#synced.seq) await this.#sync();
      await this.#hooks.finish();
    } finally {
      for (const subscription of this.#subscriptions) subscription.end();
      this.#headFile.close();
      this.vault.close();
      await this.#writer.close();
    }
  }

  #lost(why: string): TachoError {
    return new TachoError('JOURNAL_FENCED', `the log of run "${this.runId}" cannot be written: ${why}`, {
      facts: { run_id: this.runId, path: this.locator },
      fix: 'Open the run again.',
    });
  }
}

function warn({ hook, problem, error }: HookProblem): void {
  const what = problem === 'threw' ? 'failed' : 'is not called again';
  const cause = error instanceof Error ? error.message : String(error);
  process.emitWarning(`the hook "${hook}" of an agent's log ${what}: ${cause}`, { code: 'TACHO_HOOK' });
}
