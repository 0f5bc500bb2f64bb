import net from 'node:net';
import { TachoError } from '../../protocol/index.ts';
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

  /** Throws RUN_NOT_LIVE when nobody listens there. */
  static async connect(path: string): Promise<ControlClient> {
    const socket = net.connect(path);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    }).catch((cause: Error) => {
      throw notLive(cause.message);
    });
    return new ControlClient(socket);
  }

  async send(request: ControlRequest): Promise<void> {
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

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#waiting.shift()?.(JSON.parse(line));
  }
}

/** One request over a connection of its own. */
export async function sendControl(path: string, request: ControlRequest): Promise<void> {
  const client = await ControlClient.connect(path);
  try {
    await client.send(request);
  } finally {
    client.close();
  }
}

function notLive(why: string): TachoError {
  return new TachoError('RUN_NOT_LIVE', `the run has no live terminal: ${why}`, {
    fix: 'Look at how it went with: tacho show',
  });
}
