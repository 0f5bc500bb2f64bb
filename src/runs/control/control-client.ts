import net from 'node:net';
import { readRegularFile } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { ControlPlace } from './control-path.ts';
import { type ControlRequest, controlAnswerSchema } from './control-protocol.ts';

/** A connection to a live attempt. */
export class ControlClient {
  readonly #socket: net.Socket;
  readonly #waiting: ((answer: unknown) => void)[] = [];
  #rest = '';

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      for (const settle of this.#waiting.splice(0)) settle(null);
    });
  }

  /** Throws RUN_NOT_LIVE without a listener. */
  static async connect(place: ControlPlace): Promise<ControlClient> {
    const secret = readSecret(place);
    const socket = net.connect(place.socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    }).catch((cause: Error) => {
      throw notLive(cause.message);
    });
    const client = new ControlClient(socket);
    try {
      await client.#ask({ secret });
    } catch (error) {
      client.close();
      throw error;
    }
    return client;
  }

  send(request: ControlRequest): Promise<void> {
    return this.#ask(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #ask(request: ControlRequest | { secret: string }): Promise<void> {
    const answer = await new Promise<unknown>((resolve) => {
      if (this.#socket.destroyed) {
        resolve(null);
        return;
      }
      this.#waiting.push(resolve);
      this.#socket.write(`${JSON.stringify(request)}\n`);
    });
    const parsed = controlAnswerSchema.safeParse(answer);
    if (!parsed.success) throw notLive('its terminal was closed');
    if (!parsed.data.ok) throw notLive(parsed.data.error ?? 'refused');
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#waiting.shift()?.(JSON.parse(line));
  }
}

/** Sends one request over a new connection. */
export async function sendControl(place: ControlPlace, request: ControlRequest): Promise<void> {
  const client = await ControlClient.connect(place);
  try {
    await client.send(request);
  } finally {
    client.close();
  }
}

function readSecret({ secretFile }: ControlPlace): string {
  try {
    return readRegularFile(secretFile);
  } catch (error) {
    throw notLive((error as Error).message);
  }
}

function notLive(why: string): TachoError {
  return new TachoError('RUN_NOT_LIVE', `the run has no live terminal: ${why}`, {
    fix: 'Look at how it went with: tacho show',
  });
}
