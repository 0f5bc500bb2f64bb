import os from 'node:os';
import type { ExceededLimit, SessionLimits } from '../../protocol/terminal/index.ts';
import type { TerminalExit } from '../terminal.ts';
import { type Gate, openGate } from './gate.ts';
import { removeLeftGroups } from './left-groups.ts';
import { limitUnavailable, setResourceLimits } from './resource-limits.ts';
import { GROUP_LIMITS, SessionGroups } from './session-groups.ts';

/** Returns, at the end of a command, the limit that it exceeded since the watch began. */
export type WatchLimits = (end: TerminalExit) => ExceededLimit | null;

/** The first runtime that creates groups cleans up what an earlier one left. */
let cleaned = false;

/** Enforces the limits of a session. */
export class Confinement {
  readonly #limits: SessionLimits;
  readonly #groups: SessionGroups | null;

  /** Null if there are no limits; throws `LIMIT_UNAVAILABLE` if one cannot be enforced. */
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

  /** Wraps the program in a gate; it gets the gate's descriptor as `number`. */
  gate(argv: readonly string[], number: number): Gate {
    return openGate(argv, number, this.#limits.nice);
  }

  /** Sets the limits of the process at the gate, then opens the gate. */
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

  /** Usage of the session according to its control groups; null without a group. */
  usage(): { cpuMs: number | null; memoryBytes: number | null; processes: number[] } | null {
    return this.#groups && { ...this.#groups.usage(), processes: this.#groups.processes() };
  }

  /** Ends all processes of the session and removes its groups. */
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

/** Died of the signal itself, or with the exit code by which a shell reports it. */
function diedOf({ exitCode, signal }: TerminalExit, wanted: 'SIGXCPU' | 'SIGXFSZ'): boolean {
  return signal === wanted || exitCode === 128 + os.constants.signals[wanted];
}
