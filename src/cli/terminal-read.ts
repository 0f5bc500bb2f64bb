import { streamNameSchema } from '../protocol/index.ts';
import { usage } from './record-options.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { findSession, withRuntime } from './terminal-client.ts';

export interface ReadOptions extends RuntimeOptions {
  stream: string;
  after?: string;
  follow?: boolean;
}

const MOST_BYTES = 1_048_576;
const WAIT_MS = 30_000;

/** `tacho terminal read`: from the oldest byte there is, unless told otherwise. With --json one line a piece. */
export async function readSession(selector: string, options: ReadOptions): Promise<void> {
  const stream = streamNameSchema.safeParse(options.stream);
  if (!stream.success) throw usage(`--stream ${options.stream} is not known`, 'Use stdout or stderr.');
  if (options.after !== undefined && !/^\d+$/.test(options.after)) {
    throw usage(`--after ${options.after} is no cursor`, 'It is a number of bytes, as `next` in an answer.');
  }
  await withRuntime(options, async (client) => {
    const { session_id, streams } = await findSession(client, selector);
    let after = options.after === undefined ? (streams[stream.data]?.start ?? 0) : Number(options.after);
    const wait_ms = options.follow ? WAIT_MS : 0;
    for (;;) {
      const params = { session_id, stream: stream.data, after, max_bytes: MOST_BYTES, wait_ms };
      const read = await client.call('session.read', params);
      if (read.truncated_before !== null && !options.json) {
        process.stderr.write(`tacho: ${read.truncated_before - after} bytes are gone\n`);
      }
      process.stdout.write(options.json ? `${JSON.stringify(read)}\n` : Buffer.from(read.data, read.encoding));
      const idle = read.next === after;
      after = read.next;
      if (read.closed || (!options.follow && (idle || options.json))) return;
    }
  });
}
