import { type Problem, problem } from './problem.ts';
import { isScenario, SCENARIOS, type ScenarioName } from './scenarios.ts';
import { anthropic } from './wire/anthropic.ts';
import { gemini } from './wire/gemini.ts';
import { openaiChat } from './wire/openai-chat.ts';
import { openaiResponses } from './wire/openai-responses.ts';
import type { PathFacts, Protocol } from './wire/protocol.ts';

/** The purpose of a request, from its method and path alone. */
export type Endpoint = ClientEndpoint | { kind: 'welcome' | 'health' | 'requests' | 'reset' };

export type ClientEndpoint =
  | { kind: 'generate'; protocol: Protocol; facts: PathFacts }
  | { kind: 'count'; protocol: Protocol }
  | { kind: 'models'; protocol: Protocol; id: string | null }
  | { kind: 'nowhere'; protocol: Protocol; problem: Problem };

export interface Route {
  /** Without the query, which may contain a key. */
  path: string;
  query: URLSearchParams;
  scenario: ScenarioName;
  /** Separates concurrent users of one scenario. */
  key: string;
  endpoint: Endpoint;
}

export const DEMO_MODEL = 'demo-model';

/** `/sc/<scenario>[:<key>]/…` selects the scenario; the rest is the path of the real service. */
export function findRoute(method: string, url: string, defaultScenario: ScenarioName): Route {
  const [rawPath = '', query = ''] = url.split(/\?(.*)/s);
  // A base URL that ends with a slash causes double slashes.
  const path = rawPath.replaceAll(/\/{2,}/g, '/');
  const [, segment, rest] = /^\/sc\/([^/]*)(.*)$/s.exec(path) ?? [null, null, path];
  const [, name, key] = /^([^:]*):?(.*)$/s.exec(decode(segment ?? defaultScenario))!;
  const endpoint = findEndpoint(method, rest || '/', new URLSearchParams(query));
  const common = { path, query: new URLSearchParams(query), key: key! };
  if (isScenario(name!)) return { ...common, scenario: name, endpoint };
  return { ...common, scenario: defaultScenario, endpoint: unknownScenario(name!, endpoint) };
}

function findEndpoint(method: string, path: string, query: URLSearchParams): Endpoint {
  const [, version = '', own = ''] = /^((?:\/v1(?:beta|alpha)?)*)(.*)$/s.exec(path)!;
  const found = PLACES.find(({ pattern }) => pattern.test(own));
  if (!found) {
    const help = `There is nothing at ${path}. Known: /v1/chat/completions, /v1/responses, /v1/messages, /v1/models, /v1beta/models/<model>:generateContent, /__health, /__requests, /__reset`;
    return { kind: 'nowhere', protocol: openaiChat, problem: problem(404, help) };
  }
  const groups = found.pattern.exec(own)!.groups ?? {};
  const endpoint = found.endpoint({ version, query, model: decode(groups.model ?? '') });
  if (found.methods.includes(method)) return endpoint;
  const help = `${path} takes ${found.methods.join(' or ')}, not ${method}`;
  const protocol = 'protocol' in endpoint ? endpoint.protocol : openaiChat;
  return { kind: 'nowhere', protocol, problem: problem(405, help) };
}

interface Place {
  pattern: RegExp;
  methods: readonly string[];
  endpoint(found: { version: string; query: URLSearchParams; model: string }): Endpoint;
}

const POST = ['POST'];
const GET = ['GET', 'HEAD'];

const PLACES: readonly Place[] = [
  { pattern: /^\/chat\/completions$/, methods: POST, endpoint: () => generate(openaiChat) },
  { pattern: /^\/responses$/, methods: POST, endpoint: () => generate(openaiResponses) },
  { pattern: /^\/responses\/input_tokens$/, methods: POST, endpoint: () => count(openaiResponses) },
  { pattern: /^\/messages$/, methods: POST, endpoint: () => generate(anthropic) },
  { pattern: /^\/messages\/count_tokens$/, methods: POST, endpoint: () => count(anthropic) },
  {
    pattern: /^\/models\/(?<model>[^/:]+):generateContent$/,
    methods: POST,
    endpoint: ({ model }) => generate(gemini, { model, transport: 'document' }),
  },
  {
    pattern: /^\/models\/(?<model>[^/:]+):streamGenerateContent$/,
    methods: POST,
    endpoint: ({ model, query }) =>
      generate(gemini, { model, transport: query.get('alt') === 'sse' ? 'events' : 'list' }),
  },
  { pattern: /^\/models\/[^/:]+:countTokens$/, methods: POST, endpoint: () => count(gemini) },
  {
    pattern: /^\/models(?:\/(?<model>[^/:]+))?$/,
    methods: GET,
    endpoint: ({ version, model }) => ({
      kind: 'models',
      protocol: /^\/v1(beta|alpha)/.test(version) ? gemini : openaiChat,
      id: model || null,
    }),
  },
  { pattern: /^\/?$/, methods: GET, endpoint: () => ({ kind: 'welcome' }) },
  { pattern: /^\/__health$/, methods: GET, endpoint: () => ({ kind: 'health' }) },
  { pattern: /^\/__requests$/, methods: GET, endpoint: () => ({ kind: 'requests' }) },
  { pattern: /^\/__reset$/, methods: POST, endpoint: () => ({ kind: 'reset' }) },
];

function generate(protocol: Protocol, facts: PathFacts = { model: DEMO_MODEL, transport: null }): Endpoint {
  return { kind: 'generate', protocol, facts };
}

function count(protocol: Protocol): Endpoint {
  return { kind: 'count', protocol };
}

function unknownScenario(name: string, endpoint: Endpoint): Endpoint {
  const known = SCENARIOS.map((scenario) => scenario.name).join(', ');
  const protocol = 'protocol' in endpoint ? endpoint.protocol : openaiChat;
  return { kind: 'nowhere', protocol, problem: problem(404, `There is no scenario '${name}'. Known: ${known}`) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not percent-encoded after all: the unchanged text matches nothing and appears in the answer.
    return segment;
  }
}
