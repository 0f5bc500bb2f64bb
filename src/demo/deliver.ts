import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answer.ts';
import { applyFault, type Delivery, type Fault } from './faults.ts';
import type { ModelRequest } from './model-request.ts';
import type { Frame, Protocol } from './wire/protocol.ts';
import { textPieces } from './wire/text-pieces.ts';

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  // Before the head: a value that cannot be written as JSON can then still be refused.
  const text = JSON.stringify(value);
  response.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8' });
  response.end(text);
}

/** Sends an answer in the form the client requested, with the scenario's fault. */
export async function deliverAnswer(
  response: ServerResponse,
  { protocol, request, answer, fault, pauseMs }: PendingAnswer,
): Promise<void> {
  const events = request.transport === 'events';
  const parts = events
    ? protocol.frames(request, answer).map(encodeFrame)
    : textPieces(JSON.stringify(wholeAnswer(protocol, request, answer)));
  response.writeHead(200, {
    'content-type': events ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
  });
  await sendParts(response, applyFault(parts, fault, pauseMs));
}

interface PendingAnswer {
  protocol: Protocol;
  request: ModelRequest;
  answer: Answer;
  fault: Fault;
  pauseMs: number;
}

function wholeAnswer(protocol: Protocol, request: ModelRequest, answer: Answer): unknown {
  if (request.transport === 'list') return protocol.frames(request, answer).map(({ data }) => data);
  return protocol.document(request, answer);
}

function encodeFrame({ event, data }: Frame): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event ? `event: ${event}\n` : ''}data: ${text}\n\n`;
}

async function sendParts(response: ServerResponse, { parts, pauseMs, ending }: Delivery): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for (const [index, part] of parts.entries()) {
    if (pauseMs > 0 && index > 0) await pause(pauseMs, gone.signal);
    if (gone.signal.aborted) return;
    // Called when the bytes were sent, or when the client is gone.
    await new Promise<void>((resolve) => response.write(part, () => resolve()));
  }
  if (ending === 'complete') response.end();
  else response.destroy();
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    // The client disconnected during the pause; the caller checks the signal.
  }
}
