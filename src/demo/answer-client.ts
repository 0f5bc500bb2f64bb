import type { IncomingMessage, ServerResponse } from 'node:http';
import { deliverAnswer, sendJson } from './deliver.ts';
import type { ModelRequest } from './model-request.ts';
import { listModels } from './models-list.ts';
import { isProblem, type Problem, problem } from './problem.ts';
import { readBody } from './read-body.ts';
import { noteDecision, noteRequest, openRecord } from './request-record.ts';
import type { ClientEndpoint, Route } from './route.ts';
import { type Decision, scenario } from './scenarios.ts';
import type { ServerState } from './server-state.ts';
import { answerAside, isSideRequest } from './side-request.ts';

interface Visit {
  state: ServerState;
  route: Route;
  endpoint: ClientEndpoint;
}

const REFUSALS: Record<400 | 401 | 429 | 500, string> = {
  400: 'The demo model refuses this request as invalid.',
  401: 'The demo model does not accept this API key.',
  429: 'The demo model has too many requests; try again in a second.',
  500: 'The demo model has failed.',
};

/** Answers a client of a model: reads its request, and performs the scenario's decision. */
export async function answerClient(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
  const { state, endpoint } = visit;
  const { protocol } = endpoint;
  const record = openRecord(request, visit.route);
  const body = request.method === 'POST' ? await readBody(request) : { json: {}, bytes: 0 };
  if (!isProblem(body)) record.body = body.json;
  state.log.add(record, isProblem(body) ? 0 : body.bytes);
  const refuse = ({ status, message }: Problem) => {
    record.outcome = 'refused';
    record.status = status;
    sendJson(response, status, protocol.errorBody(status, message), status === 429 ? { 'retry-after': '1' } : {});
  };
  if (endpoint.kind === 'nowhere') return refuse(endpoint.problem);
  if (isProblem(body)) return refuse(body);
  if (endpoint.kind !== 'generate') {
    record.status = 200;
    return sendJson(response, 200, endpoint.kind === 'count' ? protocol.tokenCount : listModels(protocol, endpoint.id));
  }
  const wanted = protocol.readRequest(body.json, endpoint.facts);
  if (isProblem(wanted)) return refuse(wanted);
  noteRequest(record, wanted);
  const decision = decide(wanted, visit);
  noteDecision(record, decision, protocol);
  switch (decision.kind) {
    case 'refuse':
      return refuse(problem(decision.status, REFUSALS[decision.status]));
    case 'silence':
      return;
    case 'answer': {
      const { answer, fault } = decision;
      return deliverAnswer(response, { protocol, request: wanted, answer, fault, pauseMs: state.pauseMs });
    }
  }
}

/** A side request gets its own answer and does not advance the scenario. */
function decide(request: ModelRequest, { state, route }: Visit): Decision {
  const chosen = scenario(route.scenario);
  if (!chosen.always && isSideRequest(request)) {
    return { kind: 'answer', answer: answerAside(request), fault: 'none' };
  }
  if (state.script) return state.script(request);
  const place = `${route.scenario}:${route.key}`;
  const memory = state.memories.get(place) ?? { refusalsLeft: state.refusals, cachedCalls: 0 };
  state.memories.set(place, memory);
  return chosen.decide(request, memory);
}
