import fs from 'node:fs';
import path from 'node:path';
import { every, type Repeated, watchFolder } from '../../files/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { pathsIn, runPaths } from '../wal/index.ts';
import { isAgentRunId, runsFolder } from '../wal/run-folder.ts';
import { readPositions, writePositions } from './child-positions.ts';
import { LogTail } from './log-tail.ts';

/** Tools by which children appear, or continue. */
const AGENT_TOOLS: ReadonlySet<string> = new Set(['spawn_agent', 'wait', 'send_input', 'resume_agent']);
/** The net under the watches. */
const POLL_INTERVAL_MS = 1000;

interface Child {
  tail: LogTail;
  watch: { stop(): void };
}

type Print = (event: AgentEvent) => Promise<void>;

/**
 * Prints the logs of child agents, and of theirs, as they are written. Nothing is looked at before the agent uses a tool
 * for children. Lines may be printed again after a crash; readers know them by their numbers.
 */
export class ChildLogs {
  readonly #workspaceRoot: string;
  readonly #folder: string;
  readonly #print: Print;
  readonly #positions: Map<string, number>;
  readonly #children = new Map<string, Child>();
  /** Children whose first line this process has printed. */
  readonly #announced = new Set<string>();
  /** Runs that are not children of this one. */
  readonly #others = new Set<string>();
  #watch: { stop(): void } | null = null;
  #polling: Repeated | null = null;
  #work: Promise<void> = Promise.resolve();

  private constructor(workspaceRoot: string, runId: string, print: Print) {
    this.#workspaceRoot = workspaceRoot;
    this.#folder = runPaths(workspaceRoot, runId).folder;
    this.#others.add(runId);
    this.#print = print;
    this.#positions = readPositions(this.#folder);
  }

  static follow(workspaceRoot: string, runId: string, print: Print): ChildLogs {
    const logs = new ChildLogs(workspaceRoot, runId, print);
    if (logs.#positions.size > 0) logs.#start();
    return logs;
  }

  observe({ type, data }: AgentEvent): void {
    if (type === 'tool_call_requested' && AGENT_TOOLS.has(data.name)) this.#start();
  }

  /** Prints what was written so far, once the run itself is over. */
  async end(): Promise<void> {
    if (!this.#watch) return;
    this.#look();
    await this.#work;
  }

  async close(): Promise<void> {
    this.#watch?.stop();
    this.#polling?.stop();
    for (const { watch } of this.#children.values()) watch.stop();
    await this.#work;
  }

  #start(): void {
    if (this.#watch) return;
    this.#watch = watchFolder(runsFolder(this.#workspaceRoot), isAgentRunId, () => this.#look());
    this.#polling = every(POLL_INTERVAL_MS, () => this.#look(), { onError: () => {} });
    this.#look();
  }

  /** One look after the other, so that lines stay in order. */
  #look(): void {
    this.#work = this.#work.then(async () => {
      try {
        await this.#findChildren();
        for (const [id, child] of this.#children) await this.#printNew(id, child);
      } catch {
        // The folder is gone, or a log cannot be read now: the next look may find more.
      }
    });
  }

  async #findChildren(): Promise<void> {
    const names = fs.readdirSync(runsFolder(this.#workspaceRoot)).filter(isAgentRunId);
    const unknown = names.filter((name) => !this.#children.has(name) && !this.#others.has(name));
    let isFound = false;
    for (const name of unknown) {
      const parent = await this.#parentOf(name);
      if (parent === undefined) continue; // Its first line is not there yet.
      if (parent === null || !(parent === path.basename(this.#folder) || this.#children.has(parent))) {
        // A child of a run that is found later is looked at again.
        if (parent === null) this.#others.add(name);
        continue;
      }
      this.#add(name);
      isFound = true;
    }
    if (isFound) await this.#findChildren();
  }

  #add(id: string): void {
    const { folder, log } = pathsIn(path.join(runsFolder(this.#workspaceRoot), id));
    const offset = this.#positions.get(id) ?? 0;
    const watch = watchFolder(
      folder,
      (name) => name === path.basename(log),
      () => this.#look(),
    );
    this.#children.set(id, { tail: new LogTail(log, offset), watch });
  }

  /** Null for a run without a parent; undefined if that cannot be said yet. */
  async #parentOf(id: string): Promise<string | null | undefined> {
    const first = await this.#firstLine(id);
    if (!first) return undefined;
    return first.type === 'run_started' ? (first.data.parent?.run_id ?? null) : null;
  }

  async #firstLine(id: string): Promise<AgentEvent | null> {
    let first: string | null = null;
    const tail = new LogTail(pathsIn(path.join(runsFolder(this.#workspaceRoot), id)).log, 0);
    const enough = new Error('the first line is enough');
    await tail
      .read(async (line) => {
        first = line;
        throw enough;
      })
      .catch((error: unknown) => {
        if (error !== enough) throw error;
      });
    return first === null ? null : eventOf(first, id);
  }

  async #printNew(id: string, { tail }: Child): Promise<void> {
    const before = tail.offset;
    let isContinued = before > 0 && before === this.#positions.get(id) && !this.#announced.has(id);
    await tail.read(async (line) => {
      // Which call it belongs to is in its first line, which an earlier attempt has printed.
      if (isContinued) {
        isContinued = false;
        const first = await this.#firstLine(id);
        if (first) await this.#print(first);
      }
      this.#announced.add(id);
      const event = eventOf(line, id);
      if (event) await this.#print(event);
    });
    if (tail.offset === before) return;
    this.#positions.set(id, tail.offset);
    writePositions(this.#folder, this.#positions);
  }
}

/** Null for what is not a line of this run. */
function eventOf(line: string, runId: string): AgentEvent | null {
  try {
    const event = JSON.parse(line) as AgentEvent;
    return event?.run_id === runId ? event : null;
  } catch {
    return null;
  }
}
