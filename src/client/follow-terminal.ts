import { TERMINAL_FRAMES, type TerminalFrame, type TerminalFrameName } from '../protocol/index.ts';
import { parseJson } from './answer-error.ts';
import { loose } from './loose.ts';
import { framesOf, type ReconnectOptions, type StreamSource } from './reconnect.ts';
import { checked } from './transport.ts';

const SCHEMAS = new Map(Object.entries(TERMINAL_FRAMES).map(([name, schema]) => [name, loose<unknown>(schema)]));

/** All that is told of a terminal. Where a connection is lost, the next one goes on from the last frame that was given. */
export async function* followTerminal(
  source: Omit<StreamSource, 'query'>,
  options: ReconnectOptions,
): AsyncGenerator<TerminalFrame, void, undefined> {
  const place = source.path.join('/');
  let cursor: string | undefined;
  for await (const frames of framesOf({ ...source, query: () => ({ cursor }) }, options)) {
    for (const { event, id, data } of frames) {
      if (options.signal?.aborted) return;
      const schema = SCHEMAS.get(event);
      if (!schema) continue; // A newer server has more to say.
      cursor = id;
      yield { frame: event as TerminalFrameName, data: checked(schema, parseJson(data), place) } as TerminalFrame;
    }
  }
}
