import { TERMINAL_FRAMES, type TerminalFrame, type TerminalFrameName } from '../protocol/index.ts';
import { parseJson } from './answer-error.ts';
import { answers } from './answers.ts';
import { base64Of, bytesOf } from './keys.ts';
import { loose } from './loose.ts';
import { framesOf, type ReconnectOptions, type StreamSource } from './reconnect.ts';
import type { TerminalsClient } from './terminals-client.ts';
import { checked } from './transport.ts';

const FRAME_SCHEMAS = new Map(Object.entries(TERMINAL_FRAMES).map(([name, schema]) => [name, loose<unknown>(schema)]));

const TERMINALS = ['v1', 'terminals'] as const;

/** Limit of one request; pasted text may be longer. */
const MAX_KEYS_BYTES = 65_536;

export function createTerminals(streams: Pick<StreamSource, 'transport' | 'timing'>): TerminalsClient {
  const { json, request } = streams.transport;
  return {
    list: (options) => json(TERMINALS, answers.terminals, options),
    create: (terminal, options) => json(TERMINALS, answers.terminal, { ...options, method: 'POST', body: terminal }),
    get: (terminal, options) => json([...TERMINALS, terminal], answers.terminal, options),
    follow: (terminal, options = {}) =>
      followTerminal({ ...streams, path: [...TERMINALS, terminal, 'stream'] }, options),
    async input(terminal, keys, options) {
      const bytes = bytesOf(keys);
      for (let from = 0; from < bytes.length; from += MAX_KEYS_BYTES) {
        const body = { base64: base64Of(bytes.subarray(from, from + MAX_KEYS_BYTES)) };
        await request([...TERMINALS, terminal, 'input'], { ...options, method: 'POST', body });
      }
    },
    async resize(terminal, size, options) {
      await request([...TERMINALS, terminal, 'resize'], { ...options, method: 'POST', body: size });
    },
    signal: (terminal, signal, options) =>
      json([...TERMINALS, terminal, 'signal'], answers.signalled, { ...options, method: 'POST', body: { signal } }),
    run: (terminal, command, options) =>
      json([...TERMINALS, terminal, 'exec'], answers.command, { ...options, method: 'POST', body: command }),
    kill: (terminal, options) =>
      json([...TERMINALS, terminal, 'kill'], answers.terminal, { ...options, method: 'POST' }),
  };
}

/** Yields every frame of a terminal. After a lost connection, the next one continues from the last frame received. */
async function* followTerminal(
  source: Omit<StreamSource, 'query'>,
  options: ReconnectOptions,
): AsyncGenerator<TerminalFrame, void, undefined> {
  const place = source.path.join('/');
  let cursor: string | undefined;
  for await (const frames of framesOf({ ...source, query: () => ({ cursor }) }, options)) {
    for (const { event, id, data } of frames) {
      if (options.signal?.aborted) return;
      const schema = FRAME_SCHEMAS.get(event);
      if (!schema) continue; // A newer server may send more kinds of frames.
      cursor = id;
      yield { frame: event as TerminalFrameName, data: checked(schema, parseJson(data), place) } as TerminalFrame;
    }
  }
}
