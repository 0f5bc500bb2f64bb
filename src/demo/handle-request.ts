import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerClient } from './answer-client.ts';
import { sendJson } from './deliver.ts';
import type { RequestRecord } from './request-record.ts';
import { findRoute } from './route.ts';
import { SCENARIOS } from './scenarios.ts';
import type { ServerState } from './server-state.ts';

/** Requests about the server itself are answered here and not recorded; all others come from clients of a model. */
export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  state: ServerState,
): Promise<void> {
  const route = findRoute(request.method ?? 'GET', request.url ?? '/', state.defaultScenario);
  switch (route.endpoint.kind) {
    case 'welcome':
      sendJson(response, 200, { service: 'tacho demo model server', scenario: route.scenario, scenarios: SCENARIOS });
      return;
    case 'health':
      sendJson(response, 200, { ok: true, scenario: state.defaultScenario, requests: state.log.records().length });
      return;
    case 'requests': {
      const records = state.log.records();
      sendJson(response, 200, { requests: route.query.has('bodies') ? records : records.map(withoutBody) });
      return;
    }
    case 'reset':
      state.log.clear();
      state.memories.clear();
      sendJson(response, 200, { ok: true });
      return;
    default:
      await answerClient(request, response, { state, route, endpoint: route.endpoint });
  }
}

/** Bodies are long and contain whole system prompts; they are sent only on request. */
function withoutBody({ body: _, ...rest }: RequestRecord): Omit<RequestRecord, 'body'> {
  return rest;
}
