import fs from 'node:fs';
import net from 'node:net';
import { createSecretCheck, isContainedPeer, makeSecret } from '../../files/index.ts';
import { handleOf, type RunFolder } from '../../recording/index.ts';
import type { TerminalControl } from '../attempt/programs/terminal-program.ts';
import type { DataHome } from '../data-home.ts';
import { isCancelRequested, onCancelRequest } from '../request/cancel-request.ts';
import { type ControlPlace, locateControl, makeControlFolders, removeControl } from './control-path.ts';
import {
  type ControlAnswer,
  type ControlRequest,
  controlGreetingSchema,
  controlRequestSchema,
  MAX_GREETING,
  MAX_REQUEST,
} from './control-protocol.ts';

/** The actions that clients can request. */
type LiveControl = Pick<TerminalControl, 'write' | 'resize' | 'cancel'> &
  Partial<Pick<TerminalControl, 'feed' | 'endFeed'>>;

/**
 * The socket of a live attempt, private to the user, for clients that present its secret. Requests before the program's
 * start are handled and answered after it.
 */
export class ControlServer {
  readonly #place: ControlPlace | null;
  readonly #secret = makeSecret();
  readonly #isSecret = createSecretCheck(this.#secret);
  readonly #server: net.Server;
  readonly #connections = new Set<net.Socket>();
  readonly #started: Promise<LiveControl>;
  #start: (control: LiveControl) => void = () => {};
  #control: LiveControl | null = null;
  #beforeStart: (() => void) | null = null;
  #canceled = false;
  #announced = false;
  #watch: { stop(): void } | null = null;

  private constructor(place: ControlPlace | null) {
    this.#place = place;
    this.#started = new Promise((resolve) => {
      this.#start = resolve;
    });
    this.#server = net.createServer((connection) => this.#serve(connection));
    // A failed connection does not affect the attempt.
    this.#server.on('error', () => {});
  }

  static async listen(place: ControlPlace): Promise<ControlServer> {
    makeControlFolders(place);
    removeControl(place);
    const server = new ControlServer(place);
    // Before any client can connect. Exclusive: a file created by another process meanwhile is not overwritten.
    fs.writeFileSync(place.secretFile, server.#secret, { flag: 'wx', mode: 0o600 });
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(place.socket, resolve);
    });
    fs.chmodSync(place.socket, 0o600);
    return server;
  }

  /** Without a socket: a cancel arrives as a stored request. */
  static withoutSocket(folder: RunFolder): ControlServer {
    const server = new ControlServer(null);
    try {
      server.#watch = onCancelRequest(folder, () => server.cancel());
    } catch {
      // Without a watch either, only a signal to the recorder ends the run.
    }
    if (isCancelRequested(folder)) {
      server.#watch?.stop();
      server.cancel();
    }
    return server;
  }

  /** Sets the handler of a cancel before the program's start. */
  beforeStart(cancel: () => void): void {
    this.#beforeStart = cancel;
    if (this.#canceled) cancel();
  }

  attach(control: LiveControl): void {
    this.#control = control;
    this.#start(control);
    if (this.#canceled && !this.#beforeStart) control.cancel();
  }

  close(): void {
    for (const connection of this.#connections) connection.destroy();
    this.#watch?.stop();
    this.#server.close();
    if (this.#place !== null) removeControl(this.#place);
  }

  /**
   * A second cancel skips the grace period. After an `announced` one, read from the stored request, the client's own
   * cancel still follows and counts as the first.
   */
  cancel({ announced = false } = {}): void {
    const again = this.#announced;
    this.#announced = announced;
    if (again) return;
    this.#canceled = true;
    if (this.#control) this.#control.cancel();
    else this.#beforeStart?.();
  }

  #serve(connection: net.Socket): void {
    if (isContainedPeer(connection)) return void connection.destroy();
    this.#connections.add(connection);
    let greeted = false;
    const authTimer = setTimeout(() => connection.destroy(), GREETING_TIMEOUT_MS).unref();
    let rest = '';
    let answered: Promise<void> = Promise.resolve();
    connection.setEncoding('utf8');
    connection.on('close', () => {
      clearTimeout(authTimer);
      this.#connections.delete(connection);
    });
    connection.on('error', () => connection.destroy());
    connection.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      if (rest.length > (greeted ? MAX_REQUEST : MAX_GREETING)) connection.destroy();
      if (!greeted && lines.length > 0) {
        greeted = this.#greets(lines.shift()!);
        clearTimeout(authTimer);
        if (!greeted) return void connection.end(`${JSON.stringify(WRONG_SECRET)}\n`);
        connection.write(`${JSON.stringify({ ok: true } satisfies ControlAnswer)}\n`);
      }
      // In sequence, so that typed input keeps its order.
      for (const line of lines)
        answered = answered
          .then(() => this.#answer(line))
          .then((answer) => void connection.write(`${JSON.stringify(answer)}\n`));
      answered.catch(() => connection.destroy());
    });
  }

  #greets(line: string): boolean {
    const greeting = controlGreetingSchema.safeParse(parse(line));
    return greeting.success && this.#isSecret(greeting.data.secret);
  }

  async #answer(line: string): Promise<ControlAnswer> {
    const request = controlRequestSchema.safeParse(parse(line));
    if (!request.success) return { ok: false, error: 'not a request' };
    const { data } = request;
    switch (data.op) {
      case 'ping':
        return { ok: true };
      case 'cancel':
        this.cancel();
        return { ok: true };
      default:
        return perform(data, await this.#started);
    }
  }
}

type TerminalRequest = Exclude<ControlRequest, { op: 'ping' | 'cancel' }>;

async function perform(request: TerminalRequest, control: LiveControl): Promise<ControlAnswer> {
  switch (request.op) {
    case 'write':
      await control.write(Buffer.from(request.data, 'base64'));
      return { ok: true };
    case 'feed':
      if (!control.feed) return NOT_PIPED;
      await control.feed(Buffer.from(request.data, 'base64'));
      return { ok: true };
    case 'end_feed':
      if (!control.endFeed) return NOT_PIPED;
      await control.endFeed();
      return { ok: true };
    case 'resize':
      control.resize(request.cols, request.rows);
      return { ok: true };
  }
}

const GREETING_TIMEOUT_MS = 10_000;
const WRONG_SECRET: ControlAnswer = { ok: false, error: 'the secret is wrong' };
const NOT_PIPED: ControlAnswer = { ok: false, error: 'takes no piped input' };

/** Opens the socket for clients that type into the run or end it. A run that cannot listen can only be ended. */
export async function openControl(home: DataHome, folder: RunFolder): Promise<ControlServer> {
  const control = await ControlServer.listen(locateControl(home, handleOf(folder.runId))).catch(() => null);
  if (!control) return ControlServer.withoutSocket(folder);
  // A cancel requested before the socket was open.
  if (isCancelRequested(folder)) control.cancel({ announced: true });
  return control;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // Answered as an invalid request.
  }
}
