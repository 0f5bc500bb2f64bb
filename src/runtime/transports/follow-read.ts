import type { RuntimeResult } from '../../protocol/index.ts';
import type { CallRuntime } from '../call-runtime.ts';

const WAIT_MS = 30_000;

/** Reads a stream of a session to its end, piece by piece; the last piece is the response. */
export async function followRead(
  call: CallRuntime,
  params: Record<string, unknown>,
  take: (read: RuntimeResult<'session.read'>) => Promise<void>,
): Promise<RuntimeResult<'session.read'>> {
  for (let after = params.after; ; ) {
    const asked = { wait_ms: WAIT_MS, ...params, ...(after !== undefined && { after }) };
    const read = (await call('session.read', asked, () => {})) as RuntimeResult<'session.read'>;
    if (read.closed) return read;
    // An empty piece shows that we are still here, and detects a reader that has disconnected.
    await take(read);
    after = read.next;
  }
}
