import type { Readable, Writable } from 'node:stream';
import { createCall } from '../call-runtime.ts';
import type { Wire } from '../client/link.ts';
import { serveConnection } from '../rpc/connection.ts';
import { endAll, openRuntime, type RuntimeOptions } from '../runtime.ts';

interface Streams {
  input: Readable;
  output: Writable;
}

const GRACE_MS = 10_000;

/** A runtime for the owner of the two streams; it and its sessions end with them. */
export async function serveStreams(
  { input, output }: Streams,
  options: Omit<RuntimeOptions, 'onShutDown'>,
): Promise<void> {
  const runtime = openRuntime({ ...options, onShutDown: () => setImmediate(() => input.destroy()) });
  // After the end of the input the client may still wait for responses, but not for commands that never end.
  input.once('close', () => setTimeout(() => void endAll(runtime), GRACE_MS).unref());
  try {
    await serveConnection({ input, output, call: createCall(runtime) });
  } finally {
    runtime.targets.close();
    await Promise.all([runtime.sessions.destroyAll(), runtime.agents.end()]);
  }
}

/** Connects the streams to a daemon, which keeps running when they are closed. */
export async function bridgeStreams({ input, output }: Streams, wire: Wire, secret: string): Promise<void> {
  wire.output.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'system.ping', secret })}\n`);
  input.pipe(wire.output);
  wire.input.pipe(output, { end: false });
  await new Promise<void>((resolve) => wire.input.once('close', resolve));
}
