import type { Readable, Writable } from 'node:stream';
import { createCall } from '../call-runtime.ts';
import type { Wire } from '../client/link.ts';
import { serveConnection } from '../rpc/connection.ts';
import { openRuntime, type RuntimeOptions } from '../runtime.ts';

interface Streams {
  input: Readable;
  output: Writable;
}

const LAST_ANSWERS_MS = 10_000;

/** A runtime for whoever holds the two streams; it and its sessions end with them. */
export async function serveStreams(
  { input, output }: Streams,
  options: Omit<RuntimeOptions, 'onShutDown'>,
): Promise<void> {
  const runtime = openRuntime({ ...options, onShutDown: () => setImmediate(() => input.destroy()) });
  // Whoever ended the input may still wait for answers, but not for commands that never end.
  input.once('close', () => setTimeout(() => void runtime.sessions.destroyAll(), LAST_ANSWERS_MS).unref());
  try {
    await serveConnection({ input, output, call: createCall(runtime) });
  } finally {
    runtime.targets.close();
    await runtime.sessions.destroyAll();
  }
}

/** The streams lead to a daemon, which goes on when they are cut. */
export async function bridgeStreams({ input, output }: Streams, wire: Wire, secret: string): Promise<void> {
  wire.output.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'system.ping', secret })}\n`);
  input.pipe(wire.output);
  wire.input.pipe(output, { end: false });
  await new Promise<void>((resolve) => wire.input.once('close', resolve));
}
