import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A message as it comes in a request for a chat completion. */
export interface ChatMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string;
}

export type ChatAnswer = { text: string } | { calls: { id: string; name: string; arguments: object }[] };

/** A model service in this process that speaks like most others. `answer` depends on the conversation only. */
export async function startModelServer(answer: (messages: readonly ChatMessage[]) => ChatAnswer): Promise<string> {
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const { messages } = JSON.parse(text) as { messages: ChatMessage[] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const choice of choicesOf(answer(messages))) {
      const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'test', choices: [choice] };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function choicesOf(answer: ChatAnswer): object[] {
  const last = (finish_reason: string) => ({ index: 0, delta: {}, finish_reason });
  if ('text' in answer) return [{ index: 0, delta: { role: 'assistant', content: answer.text } }, last('stop')];
  const tool_calls = answer.calls.map(({ id, name, arguments: given }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }));
  return [{ index: 0, delta: { role: 'assistant', tool_calls } }, last('tool_calls')];
}
