import { TachoError } from '../../protocol/index.ts';
import {
  type CreateSession,
  type EnvironmentPolicy,
  environmentPolicySchema,
  RUNTIME_METHODS,
  type RunCommand,
  type SessionLimits,
} from '../../protocol/terminal/index.ts';
import { decodeBytes } from '../encode-bytes.ts';
import type { OpenScreen } from '../screen/screen.ts';
import { chooseShell } from '../shells/choose-shell.ts';
import { type Begun, type BegunCommand, BegunCommands } from './begun-commands.ts';
import { buildEnvironment } from './environment.ts';
import { ExecSession } from './exec-session.ts';
import type { CommandInputChoice } from './piped-session.ts';
import { openRecordingOf, type PrepareOptions, prepareSession, resolveFolder } from './prepare-session.ts';
import { PtySession } from './pty-session.ts';
import type { Session, SessionOptions } from './session.ts';
import { ShellSession } from './shell-session.ts';

/** Values for requests that do not set them. */
export interface SessionDefaults {
  /** Of each command; not of the program of an `exec` or `pty` session, which may be a server. */
  timeoutMs: number | null;
  limits: SessionLimits;
}

export interface RuntimeSessionsOptions extends PrepareOptions {
  defaults?: SessionDefaults;
  maxSessions?: number;
  /** Maximum number of ended sessions that stay readable; the oldest are forgotten first. */
  maxEnded?: number;
  /** Keeps the screens of pty sessions; without it, late clients get the buffered output. */
  openScreen?: OpenScreen;
  ledger?: SessionLedger;
}

/** Keeps track of running sessions, so that the next daemon can end them after a crash. */
export interface SessionLedger {
  /** Called before the program is started. */
  opening(session: { id: string; marker: string; sandbox_files?: readonly string[] }): void;
  /** Called before the session is reported to a client. */
  opened(session: { id: string; pid: number | null }): void;
  /** Called when nothing of it is left. */
  gone(id: string): void;
}

/** All sessions of one runtime. */
export class RuntimeSessions {
  readonly #options: RuntimeSessionsOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #commands = new BegunCommands();
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
    // A session that is still being created would be left over.
    await Promise.allSettled(this.#creating);
    const all = this.list();
    await Promise.all(all.map(({ id }) => this.destroy(id)));
    return all.length;
  }

  /** Runs a command in its session, or in a temporary one. */
  async begin(params: RunCommand): Promise<BegunCommand> {
    if (params.resume) return await this.#commands.resume(params);
    return await this.#commands.begin(params.exec_id, (execId) => this.#begin(params, execId));
  }

  /** Ends a command; false if it is no longer running. */
  async cancel(execId: string): Promise<boolean> {
    return await this.#commands.cancel(execId);
  }

  get #timeoutMs(): number | null {
    return this.#options.defaults?.timeoutMs ?? null;
  }

  async #begin(params: RunCommand, execId: string): Promise<Begun> {
    return params.session_id === undefined ? await this.#exec(params, execId) : this.#shell(params, execId);
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
          input: 'session',
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
      input: inputOf(params, 'session'),
      timeoutMs: params.timeout_ms ?? session.options.timeout_ms ?? this.#timeoutMs,
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
        input: inputOf(params, 'empty'),
        timeoutMs: params.timeout_ms ?? this.#timeoutMs,
        killGraceMs: options.kill_grace_ms,
        maxOutputBytes: params.max_output_bytes,
        encoding: params.encoding,
      }),
    );
    void Promise.all([session.result, session.whenClosed]).then(() => this.#sessions.delete(session.id));
    return { execId, session, from: { stdout: 0, stderr: 0 }, result: session.result };
  }

  /** The shell for a command without a session: bash if available, else sh. */
  #shellFor(env: EnvironmentPolicy, cwd: string | undefined): string {
    const environment = buildEnvironment(env, this.#options.environment);
    return chooseShell({ environment, cwd: resolveFolder(cwd, this.#options) }).argv[0]!;
  }

  async #add<S extends Session>(params: CreateSession, open: (options: SessionOptions) => Promise<S>): Promise<S> {
    this.#refuseTooMany();
    const limits = { ...this.#options.defaults?.limits, ...params.limits };
    const creating = this.#create({ ...params, limits }, open);
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
      options = await prepareSession(params, this.#options);
      if (params.record) options.recording = await openRecordingOf(options, this.#options);
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
      // A superfluous entry does no harm: it names no existing process.
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

  #forgetOldest(): void {
    const ended = this.list().filter(({ closed }) => closed);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - (this.#options.maxEnded ?? 64)))) {
      this.#sessions.delete(id);
    }
  }
}

function inputOf({ stdin }: RunCommand, otherwise: 'session' | 'empty'): CommandInputChoice {
  return typeof stdin === 'object' ? decodeBytes(stdin) : (stdin ?? otherwise);
}
