import type { FastifyReply } from 'fastify';
import { type CreateSession, TachoError, type TerminalsAnswer, type TerminalView } from '../../protocol/index.ts';
import {
  type AnnouncedDaemon,
  announceDaemon,
  type EnsureOptions,
  ensureServer,
  findDaemon,
  listDaemons,
  locateRuntime,
  workspaceId,
} from '../../runtime/index.ts';
import { SseResponse } from '../streams/sse-response.ts';
import { TerminalSession } from './terminal-session.ts';
import { TerminalStream } from './terminal-stream.ts';
import { within } from './within.ts';
import { WorkspaceDaemon } from './workspace-daemon.ts';

const LIST_TIMEOUT_MS = 2000;
const CLOSE_TIMEOUT_MS = 1000;

const TERMINAL_ID = /^([0-9a-f]{16})\.([\w.:-]{1,200})$/;

export interface TerminalsOptions {
  /** Where daemons are announced. */
  folder: string;
  /** The command that starts tacho; null: no daemon is started. */
  command: readonly string[] | null;
  /** Environment of daemons that are started. */
  environment: NodeJS.ProcessEnv;
  heartbeatMs: number;
}

/** The sessions of all announced daemons, and the clients that follow them. */
export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #daemons = new Map<string, WorkspaceDaemon>();
  readonly #streams = new Map<TerminalStream, Promise<void>>();
  #ending = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  get readers(): number {
    return this.#streams.size;
  }

  /** All daemons have the same timeout; those that do not answer in time are listed. */
  async list(): Promise<TerminalsAnswer> {
    const announced = listDaemons(this.#options.folder);
    this.#forgetOthers(announced);
    const answer: TerminalsAnswer = { terminals: [], unreachable: [] };
    const lists = announced.map(async (daemon) => {
      try {
        return await this.#daemon(daemon).list(LIST_TIMEOUT_MS);
      } catch (error) {
        // It may have exited during the request.
        if (!findDaemon(this.#options.folder, daemon.id)) return [];
        answer.unreachable.push({ workspace: daemon.workspace, message: (error as Error).message });
        return [];
      }
    });
    answer.terminals = (await Promise.all(lists)).flat().sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
    return answer;
  }

  /**
   * Finds a session by its complete id. Its daemon is known to run; only the daemon knows whether the session exists.
   */
  find(id: string): TerminalSession {
    const [, workspace, sessionId] = TERMINAL_ID.exec(id) ?? [];
    const announced = workspace === undefined ? null : findDaemon(this.#options.folder, workspace);
    if (announced) return new TerminalSession(this.#daemon(announced), sessionId!);
    throw new TachoError('SESSION_NOT_FOUND', `there is no terminal ${JSON.stringify(id.slice(0, 100))}`, {
      fix: 'List terminals with GET /v1/terminals.',
    });
  }

  async create({ workspace, ...wanted }: CreateSession & { workspace: string }): Promise<TerminalView> {
    const { folder, command, environment } = this.#options;
    const place = locateRuntime(workspace);
    const daemon = this.#daemon({ id: workspaceId(place.workspace), workspace: place.workspace });
    if (command !== null) await startDaemon({ workspace: place.workspace, command, environment });
    // It may have been started with another data folder, or by an older tacho.
    if (!findDaemon(folder, daemon.id)) announceDaemon(folder, place);
    return daemon.view(await daemon.call('session.create', wanted));
  }

  /** Responds with the stream; returns when it has ended. */
  async stream(id: string, reply: FastifyReply, cursor: string | undefined): Promise<void> {
    const session = this.find(id);
    const view = await session.readView();
    const response = new SseResponse(reply, this.#options.heartbeatMs);
    const stream = new TerminalStream({ session, response, cursor });
    if (this.#ending) return stream.close('shutdown');
    const running = stream.run(view);
    this.#streams.set(stream, running);
    try {
      await running;
    } finally {
      this.#streams.delete(stream);
    }
  }

  /** Ends the streams of all followers. */
  async endStreams(): Promise<void> {
    this.#ending = true;
    for (const stream of this.#streams.keys()) stream.close('shutdown');
    const gone = Promise.all(this.#streams.values());
    // Its connection is closed anyway.
    await within(CLOSE_TIMEOUT_MS, gone, () => new Error('a daemon hangs')).catch(() => {});
  }

  /** Sessions keep running. */
  close(): void {
    for (const daemon of this.#daemons.values()) daemon.close();
    this.#daemons.clear();
  }

  #daemon(announced: AnnouncedDaemon): WorkspaceDaemon {
    const known = this.#daemons.get(announced.id);
    if (known) return known;
    const daemon = new WorkspaceDaemon(announced);
    this.#daemons.set(announced.id, daemon);
    return daemon;
  }

  #forgetOthers(announced: readonly AnnouncedDaemon[]): void {
    const ids = new Set(announced.map(({ id }) => id));
    for (const [id, daemon] of this.#daemons) {
      if (ids.has(id) || daemon.inUse) continue;
      daemon.close();
      this.#daemons.delete(id);
    }
  }
}

/** Returns when the daemon answers. */
async function startDaemon(options: EnsureOptions): Promise<void> {
  const client = ensureServer(options);
  try {
    await client.call('system.ping', {});
  } catch (error) {
    if (!(error instanceof TachoError) || error.code !== 'DATA_FOLDER_UNWRITABLE') throw error;
    // The client chose the folder, so this is not a server error.
    const { code, message, facts, fix = '' } = error;
    throw new TachoError(code, message, { facts: { ...facts, http_status: 422 }, fix, cause: error });
  } finally {
    client.close();
  }
}
