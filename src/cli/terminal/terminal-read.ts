import { streamNameSchema, TachoError } from '../../protocol/index.ts';
import { writeOut } from '../output/write-out.ts';
import { usage } from '../run/record-options.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { withSession } from './terminal-client.ts';

export interface ReadOptions extends RuntimeOptions {
  stream: string;
  after?: string;
  follow?: boolean;
}

const MAX_BYTES = 1_048_576;
const WAIT_MS = 30_000;

/** `tacho terminal read`: from the oldest available byte by default. With --json, one line per piece. */
export async function readSession(selector: string, options: ReadOptions): Promise<void> {
  const stream = streamNameSchema.safeParse(options.stream);
  if (!stream.success) throw usage(`--stream ${options.stream} is not known`, 'Use stdout or stderr.');
  if (options.after !== undefined && !/^\d{1,15}$/.test(options.after)) {
    throw usage(`--after must be a number of bytes, got "${options.after}"`, 'Use `next` of an earlier answer.');
  }
  await withSession(selector, options, async (client, { session_id, kind, streams }) => {
    const found = streams[stream.data];
    if (!found) {
      throw new TachoError('INVALID_PARAMS', `this ${kind} session has one stream, stdout`, {
        fix: 'Open it with --split to have them apart.',
      });
    }
    let after = options.after === undefined ? found.start : Number(options.after);
    const wait_ms = options.follow ? WAIT_MS : 0;
    for (;;) {
      const params = { session_id, stream: stream.data, after, max_bytes: MAX_BYTES, wait_ms };
      const read = await client.call('session.read', params);
      if (read.truncated_before !== null && !options.json) {
        process.stderr.write(`tacho: ${read.truncated_before - after} bytes are gone\n`);
      }
      await writeOut(
        process.stdout,
        options.json ? `${JSON.stringify(read)}\n` : Buffer.from(read.data, read.encoding),
      );
      const idle = read.next === after;
      after = read.next;
      if (read.closed || (!options.follow && (idle || options.json))) return;
    }
  });
}
