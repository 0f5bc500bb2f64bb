import { randomBytes } from 'node:crypto';
import { TachoError } from '../../protocol/index.ts';
import type { CommandResult, RunCommand } from '../../protocol/terminal/index.ts';
import type { ExecSession } from './exec-session.ts';
import type { Session } from './session.ts';
import type { ShellSession } from './shell-session.ts';

/** A command that was started: where it runs, and its future result. */
export interface BegunCommand {
  execId: string;
  session: Session;
  /** Cursors where its output begins. */
  from: { stdout: number; stderr: number };
  result: Promise<CommandResult>;
}

/** Each keeps its output, a few megabytes at most. */
const MAX_ENDED_COMMANDS = 16;
const MAX_USED_IDS = 4096;

export type Begun = BegunCommand & { session: ShellSession | ExecSession };

/** The commands of a runtime by name: running ones, and the last that have ended. */
export class BegunCommands {
  /** Commands that are running or starting. */
  readonly #commands = new Map<string, Promise<Begun>>();
  /**
   * Commands named by their caller, which may reconnect and resume them: running ones, and the last that have ended.
   */
  readonly #resumable = new Map<string, BegunCommand>();
  /** Names of recent commands, so that a repeated call does not run its command twice. */
  readonly #used = new Set<string>();

  /** Starts a command with the given name, or a new one. */
  async begin(given: string | undefined, start: (execId: string) => Promise<Begun>): Promise<BegunCommand> {
    const execId = given ?? `x-${randomBytes(6).toString('hex')}`;
    this.#refuseUsed(execId);
    // Registered before the first await, so that a second call with the same name finds it.
    const beginning = start(execId);
    this.#commands.set(execId, beginning);
    let begun: Begun;
    try {
      begun = await beginning;
    } catch (error) {
      this.#commands.delete(execId);
      throw error;
    }
    const result = begun.result.finally(() => this.#commands.delete(execId));
    result.catch(() => {});
    const command = { ...begun, result };
    if (given !== undefined) this.#keepResumable(command);
    return command;
  }

  async resume({ exec_id = '', resume }: RunCommand): Promise<BegunCommand> {
    // It may still be starting.
    await this.#commands.get(exec_id)?.catch(() => null);
    const command = this.#resumable.get(exec_id);
    const { stdout = command?.from.stdout, stderr = command?.from.stderr } = resume ?? {};
    if (command) return { ...command, from: { stdout: stdout!, stderr: stderr! } };
    throw new TachoError('NOT_FOUND', `nothing is known of a command ${exec_id}`, { facts: { exec_id } });
  }

  /** Ends a command; false if it is no longer running. */
  async cancel(execId: string): Promise<boolean> {
    const begun = await this.#commands.get(execId)?.catch(() => null);
    return (await begun?.session.cancel(execId)) ?? false;
  }

  #refuseUsed(execId: string): void {
    const why = this.#commands.has(execId) ? 'runs already' : this.#used.has(execId) ? 'has run already' : null;
    if (why === null) return;
    throw new TachoError('INVALID_PARAMS', `a command ${execId} ${why}`, {
      facts: { exec_id: execId },
      fix: 'Use another exec_id, or `resume` to get the result of that command.',
    });
  }

  #keepResumable(command: BegunCommand): void {
    this.#resumable.set(command.execId, command);
    this.#used.add(command.execId);
    if (this.#used.size > MAX_USED_IDS) this.#used.delete(this.#used.values().next().value!);
    const ended = [...this.#resumable.keys()].filter((execId) => !this.#commands.has(execId));
    for (const execId of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_COMMANDS))) this.#resumable.delete(execId);
  }
}
