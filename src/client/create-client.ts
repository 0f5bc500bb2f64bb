import { invalidAnswer } from './answer-error.ts';
import { answers } from './answers.ts';
import type { Client } from './client.ts';
import { createTerminals } from './create-terminals.ts';
import { follow } from './follow.ts';
import { followRuns } from './follow-runs.ts';
import { base64Of, bytesOf } from './keys.ts';
import { checkedEvent, checkedMessage } from './parse-events.ts';
import { readRaw } from './read-raw.ts';
import { STREAM_TIMING, type StreamTiming } from './reconnect.ts';
import { createTransport, type TransportOptions } from './transport.ts';

export interface ClientOptions extends TransportOptions {
  /** Timeouts and delays of streams; the defaults suit a server with the usual heartbeat. */
  timing?: Partial<StreamTiming>;
}

const RUNS = ['v1', 'runs'] as const;

/** A client for Node and browsers. It keeps no connection open, so it need not be closed. */
export function createClient({ timing, ...where }: ClientOptions): Client {
  const transport = createTransport(where);
  const { json, request } = transport;
  const streams = { transport, timing: { ...STREAM_TIMING, ...timing } };
  const rawPath = (run: string, stream: string, attempt: number) => [...RUNS, run, 'raw', `${stream}.${attempt}`];

  const client: Client = {
    createRun: (run, { idempotencyKey, ...options } = {}) =>
      json(RUNS, answers.run, {
        ...options,
        method: 'POST',
        body: run,
        ...(idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
      }),
    listRuns: (query, options) => json(RUNS, answers.runs, { ...options, query: query ?? {} }),
    async *eachRun(query, options) {
      let cursor = query?.cursor;
      do {
        const page = await client.listRuns({ ...query, cursor }, options);
        yield* page.runs;
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
    },
    getRun: (run, options) => json([...RUNS, run], answers.run, options),
    async deleteRun(run, options) {
      await request([...RUNS, run], { ...options, method: 'DELETE' });
    },

    events: (run, range, options) => json([...RUNS, run, 'events'], answers.events, { ...options, query: range ?? {} }),
    conversation: (run, range, options) =>
      json([...RUNS, run, 'conversation'], answers.conversation, { ...options, query: range ?? {} }),
    followEvents: (run, options = {}) =>
      follow(
        { ...streams, path: [...RUNS, run, 'events', 'stream'] },
        { frame: 'run_event', parse: checkedEvent },
        options,
      ),
    followConversation: (run, options = {}) =>
      follow(
        { ...streams, path: [...RUNS, run, 'conversation', 'stream'] },
        { frame: 'chat_event', parse: checkedMessage },
        options,
      ),
    followRuns: (options = {}) => followRuns({ ...streams, path: ['v1', 'stream'] }, options),

    async raw(run, stream, attempt, bytes, options) {
      return (await client.rawPart(run, stream, attempt, bytes, options)).bytes;
    },
    rawPart: (run, stream, attempt, bytes = {}, options = {}) =>
      readRaw(transport, rawPath(run, stream, attempt), bytes, options),
    searchRaw: (run, stream, attempt, query, options) =>
      json([...rawPath(run, stream, attempt), 'search'], answers.search, { ...options, query }),
    lines: (run, stream, attempt, query, options) =>
      json([...rawPath(run, stream, attempt), 'lines'], answers.lines, { ...options, query }),
    timing: (run, attempt, query, options) =>
      json([...RUNS, run, 'timing', attempt], answers.timing, { ...options, query: query ?? {} }),

    attempt: (run, attempt, options) => json([...RUNS, run, 'attempts', attempt], answers.attempt, options),
    files: (run, query, options) => json([...RUNS, run, 'files'], answers.files, { ...options, query: query ?? {} }),
    async fileContent(run, sha, options) {
      const answer = await request([...RUNS, run, 'files', 'content'], { ...options, query: { sha } });
      return answer.bytes();
    },
    result: (run, options) => json([...RUNS, run, 'result'], answers.result, options),
    async artifact(run, path, options) {
      const answer = await request([...RUNS, run, 'artifacts', path], options);
      return answer.bytes();
    },
    async transcript(run, query, options) {
      const answer = await request([...RUNS, run, 'transcript'], { ...options, query: query ?? {} });
      return new TextDecoder().decode(await answer.bytes());
    },
    async bundle(run, options) {
      const { response, url } = await request([...RUNS, run, 'bundle'], options);
      if (!response.body) throw invalidAnswer(url, 'an empty bundle');
      return response.body as ReadableStream<Uint8Array>;
    },
    verify: (run, options) => json([...RUNS, run, 'verify'], answers.verification, { ...options, method: 'POST' }),

    ledgerHead: async (options) => (await json(['v1', 'ledger', 'head'], answers.ledgerHead, options)).head,
    verifySince: (since, { deep, ...options } = {}) =>
      json(['v1', 'ledger', 'verify'], answers.since, { ...options, method: 'POST', body: { since, deep } }),

    reply: (run, reply, options) =>
      json([...RUNS, run, 'reply'], answers.reply, { ...options, method: 'POST', body: reply }),
    cancel: (run, options) => json([...RUNS, run, 'cancel'], answers.run, { ...options, method: 'POST' }),
    async input(run, keys, { piped, end, ...options } = {}) {
      const body = { base64: base64Of(bytesOf(keys)), piped, end };
      await request([...RUNS, run, 'input'], { ...options, method: 'POST', body });
    },
    async resize(run, size, options) {
      await request([...RUNS, run, 'resize'], { ...options, method: 'POST', body: size });
    },

    async approvals(query, options) {
      return (await json(['v1', 'approvals'], answers.approvals, { ...options, query: query ?? {} })).approvals;
    },
    decide: (approval, decision, options) =>
      json(['v1', 'approvals', approval, 'decision'], answers.approval, { ...options, method: 'POST', body: decision }),

    async agent(run, query, options) {
      const { agentAnswers } = await import('./agent-answers.ts');
      return await json([...RUNS, run, 'agent'], agentAnswers.agent, { ...options, query: query ?? {} });
    },
    async agentPrompt(run, query, options) {
      const { agentAnswers } = await import('./agent-answers.ts');
      return await json([...RUNS, run, 'agent', 'prompt'], agentAnswers.prompt, { ...options, query: query ?? {} });
    },
    async replayAgent(run, query, options) {
      const { agentAnswers } = await import('./agent-answers.ts');
      const path = [...RUNS, run, 'agent', 'replay'];
      return await json(path, agentAnswers.replay, { ...options, method: 'POST', query: query ?? {} });
    },
    async forkAgent(run, body, options) {
      const { agentAnswers } = await import('./agent-answers.ts');
      return await json([...RUNS, run, 'agent', 'fork'], agentAnswers.fork, { ...options, method: 'POST', body });
    },

    terminals: createTerminals(streams),

    async engines(options) {
      return (await json(['v1', 'engines'], answers.engines, options)).engines;
    },
    async skills({ refresh, ...query } = {}, options) {
      const { skillAnswers } = await import('./skill-answers.ts');
      const asked = { ...query, ...(refresh ? { refresh: '1' } : {}) };
      return await json(['v1', 'skills'], skillAnswers.skills, { ...options, query: asked });
    },
    async skill(skill, options) {
      const { skillAnswers } = await import('./skill-answers.ts');
      return await json(['v1', 'skills', skill], skillAnswers.skill, options);
    },
    health: (options) => json(['v1', 'health'], answers.health, options),
  };
  return client;
}
