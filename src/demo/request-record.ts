import type { IncomingMessage } from 'node:http';
import type { JsonObject } from './json-value.ts';
import { lastPrompt, type ModelRequest } from './model-request.ts';
import type { Route } from './route.ts';
import type { Decision } from './scenarios.ts';
import { isSideRequest } from './side-request.ts';
import type { Protocol } from './wire/protocol.ts';
import type { Bill } from './wire/usage.ts';

/** One client request; of its headers, only the name of the client. */
export interface RequestRecord {
  at: string;
  method: string;
  path: string;
  agent: string;
  /** Whether it had an API key; the key itself is not recorded. */
  has_key: boolean;
  scenario: string;
  key: string;
  protocol: string | null;
  model: string | null;
  streamed: boolean;
  /** A side request: a title, a check. */
  side: boolean;
  tools: string[];
  /** The user's last text. */
  prompt: string | null;
  /** text, tool:<name>, refused, silence, models, count, or the fault of the reply. */
  outcome: string;
  status: number | null;
  /** The tokens that the answer reports; null without an answer, or with a broken one. */
  billed: Bill | null;
  body: JsonObject | null;
}

const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'];

export function openRecord({ method = '', headers }: IncomingMessage, route: Route): RequestRecord {
  const { endpoint } = route;
  return {
    at: new Date().toISOString(),
    method,
    path: route.path,
    agent: headers['user-agent'] ?? '',
    has_key: KEY_HEADERS.some((name) => headers[name] !== undefined) || route.query.has('key'),
    scenario: route.scenario,
    key: route.key,
    protocol: endpoint.kind === 'generate' || endpoint.kind === 'count' ? endpoint.protocol.name : null,
    model: null,
    streamed: false,
    side: false,
    tools: [],
    prompt: null,
    outcome: endpoint.kind,
    status: null,
    billed: null,
    body: null,
  };
}

export function noteRequest(record: RequestRecord, request: ModelRequest): void {
  record.model = request.model;
  record.streamed = request.transport !== 'document';
  record.side = isSideRequest(request);
  record.tools = request.tools.map(({ name }) => name);
  record.prompt = lastPrompt(request.turns);
}

export function noteDecision(record: RequestRecord, decision: Decision, protocol: Protocol): void {
  switch (decision.kind) {
    case 'refuse':
      record.outcome = 'refused';
      record.status = decision.status;
      return;
    case 'silence':
      record.outcome = 'silence';
      return;
    case 'answer': {
      const { fault, answer } = decision;
      record.outcome = fault !== 'none' ? fault : answer.toolCall ? `tool:${answer.toolCall.name}` : 'text';
      record.status = 200;
      if (fault === 'none' || fault === 'slow') record.billed = protocol.bill(answer.tokens);
    }
  }
}
