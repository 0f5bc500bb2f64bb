import os from 'node:os';
import type { ExceededLimit, SessionLimits } from '../../protocol/terminal/index.ts';
import type { TerminalExit } from '../terminal.ts';
import { type Gate, openGate } from './gate.ts';
import { removeLeftGroups } from './left-groups.ts';
import { limitUnavailable, setResourceLimits } from './resource-limits.ts';
import { GROUP_LIMITS, SessionGroups } from './session-groups.ts';

/** Tells at a command's end which limit it ran into since the watch began. */
export type WatchLimits = (end: TerminalExit) => ExceededLimit | null;

/** What an earlier runtime left is cleaned up by the first that makes groups again. */
let cleaned = false;

/** Holds a session within its limits. */
export class Confinement {
  readonly #limits: SessionLimits;
  readonly #groups: SessionGroups | null;

  /** Null when nothing is limited; `LIMIT_UNAVAILABLE` when something cannot be. */
  static open(limits: SessionLimits, id: string): Confinement | null {
    if (Object.values(limits).every((limit) => limit === undefined)) return null;
    const groups = SessionGroups.open(limits, id);
    if (groups && !cleaned) void removeLeftGroups();
    cleaned ||= groups !== null;
    return new Confinement(limits, groups);
  }

  private constructor(limits: SessionLimits, groups: SessionGroups | null) {
    this.#limits = limits;
    this.#groups = groups;
  }

  /** The program behind a gate, whose descriptor it gets under `number`. */
  gate(argv: readonly string[], number: number): Gate {
    return openGate(argv, number, this.#limits.nice);
  }

  /** Sets the limits of the process at the gate, and lets it through. */
  admit(pid: number, gate: Gate): void {
    setResourceLimits(pid, this.#limits);
    this.#join(pid);
    gate.open();
  }

  watch(): WatchLimits {
    const before = { memory: this.#strikes('memory'), pids: this.#strikes('pids') };
    return (end) => {
      if (this.#strikes('memory') > before.memory) return 'memory';
      if (this.#limits.cpu_seconds !== undefined && diedOf(end, 'SIGXCPU')) return 'cpu';
      if (this.#limits.file_bytes !== undefined && diedOf(end, 'SIGXFSZ')) return 'file_size';
      return this.#strikes('pids') > before.pids ? 'processes' : null;
    };
  }

  /** What the kernel counts of the session; null where nothing does. */
  usage(): { cpuMs: number | null; memoryBytes: number | null; processes: number[] } | null {
    return this.#groups && { ...this.#groups.usage(), processes: this.#groups.processes() };
  }

  /** Ends whatever is left inside, and leaves nothing behind. */
  async end(): Promise<void> {
    this.#groups?.kill();
    await this.#groups?.remove();
  }

  #join(pid: number): void {
    try {
      this.#groups?.join(pid);
    } catch (cause) {
      const { message } = cause as Error;
      const wanted = GROUP_LIMITS.filter((name) => this.#limits[name] !== undefined);
      throw limitUnavailable(Object.fromEntries(wanted.map((name) => [name, message])), cause);
    }
  }

  #strikes(controller: 'memory' | 'pids'): number {
    return this.#groups?.strikes(controller) ?? 0;
  }
}

/** Of the signal itself, or of what a shell says of a command that died of it. */
function diedOf({ exitCode, signal }: TerminalExit, wanted: 'SIGXCPU' | 'SIGXFSZ'): boolean {
  return signal === wanted || exitCode === 128 + os.constants.signals[wanted];
}
