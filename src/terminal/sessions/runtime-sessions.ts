import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import {
  type CommandResult,
  type CreateSession,
  type EnvironmentPolicy,
  environmentPolicySchema,
  RUNTIME_METHODS,
  type RunCommand,
  type SandboxRequest,
} from '../../protocol/terminal/index.ts';
import { Confinement } from '../limits/confinement.ts';
import { limitUnavailable } from '../limits/resource-limits.ts';
import type { OpenScreen } from '../screen/screen.ts';
import { chooseShell } from '../shells/choose-shell.ts';
import { buildEnvironment } from './environment.ts';
import { ExecSession } from './exec-session.ts';
import { PtySession } from './pty-session.ts';
import type { Session, SessionOptions } from './session.ts';
import { programOf } from './session-program.ts';
import type { OpenRecording, SessionRecording } from './session-recording.ts';
import { ShellSession } from './shell-session.ts';

export interface RuntimeSessionsOptions {
  /** Where sessions begin that are not told where. */
  workspace: string;
  /** What sessions may inherit from. */
  environment: NodeJS.ProcessEnv;
  maxSessions?: number;
  /** Sessions that have ended and can still be read; the oldest are forgotten first. */
  maxEnded?: number;
  /** Keeps the screens of pty sessions; without it late joiners get what is in the buffer. */
  openScreen?: OpenScreen;
  ledger?: SessionLedger;
  enterSandbox?: EnterSandbox;
  /** Keeps sessions as runs. */
  openRecording?: OpenRecording | undefined;
}

/**
 * Gives what stands before a program on its command line, so that it has the view that was asked for; or says why it
 * cannot have it.
 */
export type EnterSandbox = (
  request: SandboxRequest,
  place: { workspace: string; cwd: string; environment: Record<string, string> },
) => Promise<EnteredSandbox | { why: string }>;

export interface EnteredSandbox {
  argv: string[];
  /** Files and folders that were made for it. */
  made: string[];
  /** To be called when nothing of the program is left. */
  leave(): void;
}

/** Keeps account of what runs, so that whoever comes after a crash can end it. */
export interface SessionLedger {
  /** Before the program is started. */
  opening(session: { id: string; marker: string; sandbox_files?: readonly string[] }): void;
  /** Before anybody hears of the session. */
  opened(session: { id: string; pid: number | null }): void;
  /** Nothing of it is left. */
  gone(id: string): void;
}

/** A command that was begun: where it runs, and how it will have ended. */
export interface BegunCommand {
  execId: string;
  session: Session;
  /** Cursors at which its output begins. */
  from: { stdout: number; stderr: number };
  result: Promise<CommandResult>;
}

/** Each holds its output, a few megabytes at most. */
const MOST_ENDED_COMMANDS = 16;
const MAX_USED_IDS = 4096;

type Begun = BegunCommand & { session: ShellSession | ExecSession };

/** All sessions of one runtime. */
export class RuntimeSessions {
  readonly #options: RuntimeSessionsOptions;
  readonly #sessions = new Map<string, Session>();
  /** Commands that run or are being started. */
  readonly #commands = new Map<string, Promise<Begun>>();
  /** Commands that somebody gave a name, for a caller whose connection was lost: those that run, and the last that ended. */
  readonly #resumable = new Map<string, BegunCommand>();
  /** Names of the last commands that ran, so that a call which comes twice does not run its command twice. */
  readonly #used = new Set<string>();
  readonly #creating = new Set<Promise<Session>>();

  constructor(options: RuntimeSessionsOptions) {
    this.#options = options;
  }

  get maxSessions(): number {
    return this.#options.maxSessions ?? 256;
  }

  async create(params: CreateSession): Promise<Session> {
    return await this.#add(params, (options) => this.#open(options));
  }

  list(): Session[] {
    return [...this.#sessions.values()];
  }

  find(id: string): Session {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw new TachoError('SESSION_NOT_FOUND', `there is no session ${id}`, { facts: { session_id: id } });
  }

  /** Ends a session and forgets it. */
  async destroy(id: string): Promise<Session> {
    const session = this.find(id);
    await session.destroy();
    this.#sessions.delete(id);
    return session;
  }

  async destroyAll(): Promise<number> {
    // One that is being created would be left over.
    await Promise.allSettled(this.#creating);
    const all = this.list();
    await Promise.all(all.map(({ id }) => this.destroy(id)));
    return all.length;
  }

  /** Runs a command in its session, or in one of its own that is forgotten afterwards. */
  async begin(params: RunCommand): Promise<BegunCommand> {
    if (params.resume) return await this.#resume(params);
    const execId = params.exec_id ?? `x-${randomBytes(6).toString('hex')}`;
    this.#refuseUsed(execId);
    // Claimed before anything is waited for, so that a second call with the same name finds it.
    const beginning = this.#begin(params, execId);
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
    if (params.exec_id !== undefined) this.#keepResumable(command);
    return command;
  }

  /** Ends a command; false when it does not run any more. */
  async cancel(execId: string): Promise<boolean> {
    const begun = await this.#commands.get(execId)?.catch(() => null);
    return (await begun?.session.cancel(execId)) ?? false;
  }

  async #begin(params: RunCommand, execId: string): Promise<Begun> {
    return params.session_id === undefined ? await this.#exec(params, execId) : this.#shell(params, execId);
  }

  #refuseUsed(execId: string): void {
    const why = this.#commands.has(execId) ? 'runs already' : this.#used.has(execId) ? 'has run already' : null;
    if (why === null) return;
    throw new TachoError('INVALID_PARAMS', `a command ${execId} ${why}`, {
      facts: { exec_id: execId },
      fix: 'Use another exec_id, or `resume` to get the result of that command.',
    });
  }

  async #resume({ exec_id = '', resume }: RunCommand): Promise<BegunCommand> {
    // It may still be starting.
    await this.#commands.get(exec_id)?.catch(() => null);
    const command = this.#resumable.get(exec_id);
    const { stdout = command?.from.stdout, stderr = command?.from.stderr } = resume ?? {};
    if (command) return { ...command, from: { stdout: stdout!, stderr: stderr! } };
    throw new TachoError('NOT_FOUND', `nothing is known of a command ${exec_id}`, { facts: { exec_id } });
  }

  #keepResumable(command: BegunCommand): void {
    this.#resumable.set(command.execId, command);
    this.#used.add(command.execId);
    if (this.#used.size > MAX_USED_IDS) this.#used.delete(this.#used.values().next().value!);
    const ended = [...this.#resumable.keys()].filter((execId) => !this.#commands.has(execId));
    for (const execId of ended.slice(0, Math.max(0, ended.length - MOST_ENDED_COMMANDS)))
      this.#resumable.delete(execId);
  }

  async #open(options: SessionOptions): Promise<Session> {
    switch (options.kind) {
      case 'shell':
        return await ShellSession.start(options);
      case 'pty':
        return await PtySession.start(options, this.#options.openScreen ?? null);
      case 'exec': {
        if (!options.argv) throw new TachoError('INVALID_PARAMS', 'an exec session needs an argv');
        return await ExecSession.start(options, {
          execId: options.id,
          argv: options.argv,
          emptyInput: false,
          timeoutMs: options.timeout_ms ?? null,
          killGraceMs: options.kill_grace_ms,
          maxOutputBytes: 0,
        });
      }
    }
  }

  #shell(params: RunCommand, execId: string): Begun {
    const session = this.find(params.session_id!);
    if (!(session instanceof ShellSession)) {
      throw new TachoError('INVALID_PARAMS', `a ${session.options.kind} session runs no commands`);
    }
    const from = { stdout: session.streams.stdout!.end, stderr: session.streams.stderr!.end };
    const result = session.run({
      execId,
      text: params.command!,
      emptyInput: params.stdin === 'empty',
      timeoutMs: params.timeout_ms ?? session.options.timeout_ms ?? null,
      killGraceMs: params.kill_grace_ms ?? session.options.kill_grace_ms,
      maxOutputBytes: params.max_output_bytes,
      encoding: params.encoding,
    });
    return { execId, session, from, result };
  }

  async #exec(params: RunCommand, execId: string): Promise<Begun> {
    const env = params.env ?? environmentPolicySchema.parse({});
    const argv = params.argv ?? [this.#shellFor(env, params.cwd), '-c', params.command!];
    const wanted = RUNTIME_METHODS['session.create'].params.parse({
      kind: 'exec',
      argv,
      cwd: params.cwd,
      env,
      kill_grace_ms: params.kill_grace_ms,
      limits: params.limits,
      sandbox: params.sandbox,
      record: params.record,
    });
    const session = await this.#add(wanted, (options) =>
      ExecSession.start(options, {
        execId,
        argv,
        emptyInput: params.stdin !== 'session',
        timeoutMs: params.timeout_ms ?? null,
        killGraceMs: options.kill_grace_ms,
        maxOutputBytes: params.max_output_bytes,
        encoding: params.encoding,
      }),
    );
    void Promise.all([session.result, session.whenClosed]).then(() => this.#sessions.delete(session.id));
    return { execId, session, from: { stdout: 0, stderr: 0 }, result: session.result };
  }

  /** For the text of a command that has no session: bash where there is one, else sh. */
  #shellFor(env: EnvironmentPolicy, cwd: string | undefined): string {
    const environment = buildEnvironment(env, this.#options.environment);
    return chooseShell({ environment, cwd: this.#folder(cwd) }).argv[0]!;
  }

  async #add<S extends Session>(params: CreateSession, open: (options: SessionOptions) => Promise<S>): Promise<S> {
    this.#refuseTooMany();
    const creating = this.#create(params, open);
    this.#creating.add(creating);
    try {
      return await creating;
    } finally {
      this.#creating.delete(creating);
    }
  }

  async #create<S extends Session>(params: CreateSession, open: (options: SessionOptions) => Promise<S>): Promise<S> {
    const { ledger } = this.#options;
    let options: SessionOptions | null = null;
    try {
      options = await this.#prepare(params);
      if (params.record) options.recording = await this.#record(options);
      ledger?.opening({ ...options, sandbox_files: options.entered?.made ?? [] });
      const session = await open(options);
      ledger?.opened(session);
      this.#sessions.set(session.id, session);
      const { entered } = options;
      void session.whenClosed.then(() => {
        this.#noteClosed(session.id);
        entered?.leave();
      });
      return session;
    } catch (error) {
      options?.entered?.leave();
      await options?.confinement?.end();
      if (options) ledger?.gone(options.id);
      await options?.recording?.finish(null, null, error);
      throw error;
    }
  }

  #noteClosed(id: string): void {
    try {
      this.#options.ledger?.gone(id);
    } catch {
      // An entry too many: whoever reads it finds no process that it names.
    }
    this.#forgetOldest();
  }

  #refuseTooMany(): void {
    const live = this.list().filter(({ end }) => end === null).length + this.#creating.size;
    if (live >= this.maxSessions) {
      const facts = { max_sessions: this.maxSessions };
      throw new TachoError('MAX_SESSIONS_REACHED', `there are ${live} sessions already`, { facts });
    }
  }

  async #prepare(params: CreateSession): Promise<SessionOptions> {
    const id = `s-${randomBytes(6).toString('hex')}`;
    const cwd = this.#folder(params.cwd);
    const environment = buildEnvironment(params.env, this.#options.environment);
    // From here on there is something to clean up.
    const entered = params.sandbox ? await this.#enterSandbox(params.sandbox, cwd, environment) : null;
    try {
      const confinement = Confinement.open(params.limits, id);
      const entry = entered?.argv ?? [];
      return { ...params, id, cwd, environment, marker: randomUUID(), entry, entered, confinement, recording: null };
    } catch (error) {
      entered?.leave();
      throw error;
    }
  }

  async #record(options: SessionOptions): Promise<SessionRecording> {
    const { openRecording } = this.#options;
    if (!openRecording) throw limitUnavailable({ record: 'this runtime keeps no runs' });
    const { id, kind, name = null, cwd, environment, marker, cols, rows } = options;
    const argv = programOf(options);
    const split = kind !== 'pty' || options.split;
    return await openRecording({ id, kind, name, argv, cwd, environment, marker, split, cols, rows });
  }

  async #enterSandbox(
    request: SandboxRequest,
    cwd: string,
    environment: Record<string, string>,
  ): Promise<EnteredSandbox> {
    const { enterSandbox, workspace } = this.#options;
    const entered = await enterSandbox?.(request, { workspace, cwd, environment });
    if (entered && 'argv' in entered) return entered;
    throw limitUnavailable({ sandbox: entered?.why ?? 'this runtime has none' });
  }

  #folder(cwd: string | undefined): string {
    const folder = path.resolve(this.#options.workspace, cwd ?? '.');
    if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
    throw new TachoError('INVALID_PARAMS', `${folder} is not a folder`, { facts: { cwd: folder } });
  }

  #forgetOldest(): void {
    const ended = this.list().filter(({ closed }) => closed);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - (this.#options.maxEnded ?? 64)))) {
      this.#sessions.delete(id);
    }
  }
}
