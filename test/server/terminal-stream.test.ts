import { expect, test } from 'vitest';
import type { RuntimeResult, StreamClosed, TerminalView } from '../../src/protocol/index.ts';
import type { SseResponse } from '../../src/server/streams/sse-response.ts';
import type { TerminalSession } from '../../src/server/terminals/terminal-session.ts';
import { TerminalStream } from '../../src/server/terminals/terminal-stream.ts';

type Read = RuntimeResult<'session.read'>;

const RUNNING = {
  terminal_id: 't',
  kind: 'exec',
  state: 'running',
  closed: false,
  recording: null,
  cols: null,
  rows: null,
  streams: { stdout: { start: 0, end: 0 } },
} as unknown as TerminalView;
const ENDED = { ...RUNNING, state: 'terminated', closed: true } as TerminalView;

test('the end of a terminal is sent after its last output, even if it is known before', async () => {
  const sent: string[] = [];
  const reads: ((read: Partial<Read>) => void)[] = [];
  let tell: (view: TerminalView) => void = () => {};
  const session = {
    readView: async () => (reads.length === 0 ? RUNNING : ENDED),
    watch: (_: TerminalView, listener: typeof tell) => {
      tell = listener;
      return () => {};
    },
    read: () => new Promise<Partial<Read>>((resolve) => reads.push(resolve)),
  };
  const response = {
    ended: false,
    attach() {},
    async drained() {},
    write: (text: string) => void sent.push(/event: (.*)/.exec(text)![1]!),
    end(closed: StreamClosed) {
      this.ended = true;
      sent.push(closed.reason);
    },
  };
  const stream = new TerminalStream({
    session: session as unknown as TerminalSession,
    response: response as unknown as SseResponse,
    cursor: undefined,
  });
  const ran = stream.run(RUNNING);
  await expect.poll(() => reads.length).toBe(1);
  // The session ends while a read is still pending.
  tell(ENDED);
  const piece = { truncated_before: null, cols: null, rows: null, encoding: 'utf8' } as unknown as Read;
  reads[0]!({ ...piece, from: 0, next: 4, data: 'one\n', closed: false });
  await expect.poll(() => reads.length).toBe(2);
  reads[1]!({ ...piece, from: 4, next: 8, data: 'two\n', closed: true });
  await ran;
  expect(sent).toEqual(['terminal.opened', 'terminal.output', 'terminal.output', 'terminal.changed', 'terminal']);
});
