import { createInterface } from 'node:readline';

/**
 * An agent that prints many short messages as fast as it can: `codex` in codex's output format, `acp` as an agent of
 * the Agent Client Protocol when it is prompted.
 */
const [dialect, count] = process.argv.slice(2) as ['codex' | 'acp', string];
/** Several messages per write, so that the agent is not the bottleneck. */
const AT_ONCE = 100;
const RESULTS: Record<string, unknown> = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/new': { sessionId: 'session-1' },
  'session/prompt': { stopReason: 'end_turn' },
};

if (dialect === 'codex') speakCodex();
else speakAcp();

function speakCodex(): void {
  print({ type: 'thread.started', thread_id: '0197aaaa-0000-7000-8000-000000000001' });
  print({ type: 'turn.started' });
  sayAll((number, text) => ({ type: 'item.completed', item: { id: `item_${number}`, type: 'agent_message', text } }));
  print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
}

function speakAcp(): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: { sessionId?: string } };
    if (id === undefined) return;
    if (method === 'session/prompt') {
      sayAll((_number, text) => ({
        jsonrpc: '2.0',
        method: 'session/update',
        params: {
          sessionId: params?.sessionId,
          update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
        },
      }));
    }
    print({ jsonrpc: '2.0', id, result: RESULTS[method] ?? {} });
  });
}

function sayAll(message: (number: number, text: string) => unknown): void {
  for (let from = 0; from < Number(count); from += AT_ONCE) {
    let lines = '';
    for (let number = from; number < Math.min(from + AT_ONCE, Number(count)); number++) {
      lines += `${JSON.stringify(message(number, `message ${number}, about as long as a line of text is`))}\n`;
    }
    process.stdout.write(lines);
  }
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
