import { answers } from './answers.ts';
import { followTerminal } from './follow-terminal.ts';
import { base64Of, bytesOf } from './keys.ts';
import type { StreamSource } from './reconnect.ts';
import type { TerminalsClient } from './terminals-client.ts';

const TERMINALS = ['v1', 'terminals'] as const;

/** What the server takes at once; what is pasted may be longer. */
const MOST_KEYS = 65_536;

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
      for (let from = 0; from < bytes.length; from += MOST_KEYS) {
        const body = { base64: base64Of(bytes.subarray(from, from + MOST_KEYS)) };
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
