import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGeminiParser } from '../../src/engines/gemini/parser.ts';
import type { OutputStream, ParserContext, RaspDraft } from '../../src/protocol/index.ts';
import { listFixtures, readFixtureLog } from '../support/fixtures.ts';
import { proofSize } from '../support/proof-size.ts';
import {
  type Chunk,
  checkDrafts,
  coveredBytes,
  linesWithout,
  parserContext,
  readChunks,
  readLogs,
  summarize,
  TIME,
} from './read-log.ts';

const parser = (more: Partial<ParserContext> = {}) => createGeminiParser(parserContext('gemini', more));
const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const typesOf = (drafts: readonly RaspDraft[]) => drafts.map(({ event }) => event.type);
const phasesOf = (drafts: readonly RaspDraft[]) =>
  drafts.flatMap(({ event, data }) =>
    event.type === 'lifecycle.run.status' ? [(data as { phase: string }).phase] : [],
  );
const codesOf = (drafts: readonly RaspDraft[]) =>
  drafts.flatMap(({ event, data }) => (event.category === 'diagnostic' ? [(data as { code: string }).code] : []));
const at = (seconds: number) => `2026-11-15T08:00:0${seconds}.000Z`;
const say = (content: string, more = {}) => ({ type: 'message', role: 'assistant', content, delta: true, ...more });
const stats = { models: { m: { tokens: { prompt: 5, candidates: 2, total: 8, cached: 1, thoughts: 1 } } } };
const answer = { session_id: 's', response: 'It {is} "done".', stats };
const document = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const captures = listFixtures().filter(({ engine }) => engine === 'gemini');

describe.each(captures)('the capture $name', ({ name, folder, expected }) => {
  const { session_id, final_messages, reasoning, tools, errors } = expected;

  test('gives the session, messages, tools, usage, errors and the end that were expected', () => {
    const logs = { stdout: readFixtureLog(folder, 'stdout'), stderr: readFixtureLog(folder, 'stderr') };
    const drafts = readLogs(parser(), logs);
    checkDrafts(drafts);
    const found = summarize(drafts);
    expect(found).toMatchObject({ session_id, final_messages, reasoning, tools, errors, warnings: [] });
    expect(found.started).toBe(tools.length);
    if (expected.usage === null) expect(found.usage).toBeNull();
    else expect(found.usage).toMatchObject(expected.usage);
    expect(coveredBytes(drafts)).toBe((logs.stdout?.length ?? 0) + (logs.stderr?.length ?? 0));
    expect(phasesOf(drafts).at(-1)).toBe(endOf(name, expected.errors.length > 0 && final_messages.length === 0));
  });

  test('says the same when only a merged log was kept', () => {
    const pty = readFixtureLog(folder, 'pty');
    if (!pty) {
      expect(expected.pty).toBeUndefined();
      return;
    }
    const drafts = readLogs(parser(), { pty });
    checkDrafts(drafts);
    expect(summarize(drafts)).toMatchObject({ ...expected.pty, final_messages, tools, errors, warnings: [] });
    expect(coveredBytes(drafts)).toBe(pty.length);
  });
});

function endOf(name: string, failed: boolean): string | undefined {
  if (name === 'text-untrusted' || name === 'kill-INT') return undefined;
  if (name === 'made-error-streamjson') return 'message.user';
  if (name.includes('streamjson')) return failed ? 'result.error' : 'result';
  return failed ? 'error' : 'response';
}

describe('gemini stream-json', () => {
  test('pieces of a message become one that holds the whole text and all its bytes, before what follows it', () => {
    const pieces = lines(say('Done.\n{"__SKILL'), say('_DONE__": tr'), say('ue}'));
    const stdout =
      pieces + lines({ type: 'tool_use', timestamp: at(1), tool_name: 'glob', tool_id: 'g', parameters: {} });
    const drafts = readLogs(parser(), { stdout });
    expect(typesOf(drafts)).toEqual(['agent.message.delta', 'agent.message.final', 'tool.call.started']);
    expect(drafts[1]).toMatchObject({
      data: {
        message_id: '1.stdout.0',
        text: 'Done.\n{"__SKILL_DONE__": true}',
        structured_payload: { __SKILL_DONE__: true },
      },
      raw_ref: { byte_from: 0, byte_to: pieces.length },
      source: { parser: 'gemini_json', confidence: 0.95 },
    });
  });

  test('a message is whole at the end, and where the user or another message speaks', () => {
    const drafts = readLogs(parser(), {
      stdout: lines(
        say('one'),
        { type: 'message', role: 'user', content: 'and?' },
        say('two'),
        say('whole', { delta: undefined }),
        say('three'),
      ),
    });
    expect(summarize(drafts).final_messages).toEqual(['one', 'two', 'whole', 'three']);
    expect(phasesOf(drafts)).toEqual(['message.user']);
  });

  test('pieces that come slowly are shown as they come', () => {
    const chunks = [0, 60, 150, 400].map((after, index) => ({
      stream: 'stdout' as const,
      bytes: Buffer.from(lines(say(`${index} `))),
      time: TIME + after,
    }));
    const drafts = readChunks(parser(), chunks);
    const deltas = drafts.filter(({ event }) => event.type === 'agent.message.delta');
    expect(deltas.map(({ data }) => (data as { text: string }).text)).toEqual(['0 1 ', '2 ', '3 ']);
    expect(summarize(drafts).final_messages).toEqual(['0 1 2 3 ']);
  });

  test('a call keeps its name, kind and times; one that fails says why; one that only ends gets a start', () => {
    const drafts = readLogs(parser(), {
      stdout: lines(
        { type: 'tool_use', timestamp: at(1), tool_name: 'mcp_docs_find', tool_id: 'a', parameters: { q: 1 } },
        { type: 'tool_use', timestamp: at(1), tool_name: 'replace', tool_id: 'b', parameters: {} },
        { type: 'tool_result', timestamp: at(3), tool_id: 'b', status: 'success' },
        { type: 'tool_result', timestamp: at(2), tool_id: 'a', status: 'error', error: { type: 'E', message: 'no' } },
        { type: 'tool_result', timestamp: at(4), tool_id: 'c', status: 'success', output: 'x' },
      ),
    });
    expect(typesOf(drafts).slice(2)).toEqual([
      'tool.call.completed',
      'tool.call.failed',
      'tool.call.started',
      'tool.call.completed',
    ]);
    expect(drafts[3]!.data).toEqual({
      call_id: 'a',
      name: 'mcp_docs_find',
      kind: 'mcp',
      arguments: { q: 1 },
      result: { type: 'E', message: 'no' },
      started_at: at(1),
      ended_at: at(2),
      duration_ms: 1000,
    });
    expect(summarize(drafts).tools).toMatchObject([
      { name: 'replace', kind: 'file' },
      { kind: 'mcp' },
      { name: 'unknown' },
    ]);
  });

  test('a list of todos is a plan beside the call', () => {
    const todos = [
      { description: 'look', status: 'completed' },
      { description: 'act', status: 'pending' },
    ];
    const drafts = readLogs(parser(), {
      stdout: lines({
        type: 'tool_use',
        timestamp: at(1),
        tool_name: 'write_todos',
        tool_id: 't',
        parameters: { todos },
      }),
    });
    expect(drafts[1]).toMatchObject({
      event: { type: 'agent.plan.updated' },
      data: {
        items: [
          { text: 'look', status: 'completed' },
          { text: 'act', status: 'pending' },
        ],
      },
    });
  });

  test('an error event does not end the turn; a result that failed does, and repeats the reason if it has none', () => {
    const drafts = readLogs(parser(), {
      stdout: lines(
        { type: 'error', timestamp: at(1), severity: 'warning', message: 'Loop detected, stopping execution' },
        { type: 'error', timestamp: at(1), severity: 'error', message: 'The answer was empty.' },
        { type: 'result', timestamp: at(1), status: 'error', stats: { input_tokens: 3, output_tokens: 0 } },
      ),
    });
    const errors = drafts.filter(({ event }) => event.type === 'diagnostic.engine.error').map(({ data }) => data);
    expect(errors).toMatchObject([
      { severity: 'warning' },
      { severity: 'error', message: 'The answer was empty.' },
      { severity: 'error', message: 'The answer was empty.' },
    ]);
    expect(phasesOf(drafts)).toEqual(['result.error']);
    expect(summarize(drafts).usage).toEqual({ input_tokens: 3, output_tokens: 0, total_tokens: 3 });
  });

  test('an unknown event or shape is kept as raw, an unknown field is not; warnings name all of them', () => {
    const stdout = lines(
      { type: 'hologram' },
      { type: 'message', role: 'assistant', content: 7 },
      { type: 'init', session_id: 's', mood: 'good' },
      { type: 'result', status: 'success', stats: { input_tokens: 'many' } },
      { type: 'result', status: 'success', stats: { dreams: 1 } },
      { neither: 1 },
    );
    const drafts = readLogs(parser(), { stdout });
    checkDrafts(drafts);
    const raw = drafts
      .filter(({ event }) => event.type === 'raw.stdout')
      .map(({ data }) => (data as { text: string }).text);
    expect(raw.join('')).toBe(linesWithout(stdout, 'mood', 'dreams'));
    expect(drafts.filter(({ event }) => event.category === 'diagnostic').map(({ data }) => data)).toMatchObject([
      { event_type: 'hologram', problem: 'unknown type' },
      { event_type: 'message', problem: 'unexpected shape' },
      { event_type: 'init', problem: 'unknown fields', fields: ['mood'] },
      { event_type: 'result', problem: 'unexpected shape' },
      { event_type: 'result stats', problem: 'unknown fields', fields: ['dreams'] },
      { event_type: 'document', problem: 'unexpected shape' },
    ]);
    expect(phasesOf(drafts)).toEqual(['init', 'result']);
  });

  test('events glued together on one line are read one by one', () => {
    const stdout = lines({ type: 'init', session_id: 's', model: 'm' }, { type: 'result', status: 'success' });
    expect(phasesOf(readLogs(parser(), { stdout: stdout.replace('}\n{', '}{') }))).toEqual(['init', 'result']);
  });

  test('a line that was cut off does not swallow the events after it, nor is a tool’s argument taken for an answer', () => {
    const cut = '{"type":"tool_use","tool_name":"x","parameters":{"response":"not said"},\n';
    const stdout = `${cut}{"type":"message","content":"cu\n${lines({ type: 'init', session_id: 's' }, say('hi'))}`;
    const drafts = readLogs(parser(), { stdout });
    expect(summarize(drafts)).toMatchObject({
      session_id: 's',
      final_messages: ['hi'],
      warnings: ['UNPARSED_CONTENT'],
    });
    expect(coveredBytes(drafts)).toBe(Buffer.byteLength(stdout));
  });

  test('a message that only the merged log holds is recovered where it stands', () => {
    const all = [
      { type: 'init', timestamp: at(1), session_id: 's' },
      say('one ', { timestamp: at(1) }),
      say('two', { timestamp: at(2) }),
      { type: 'result', timestamp: at(3), status: 'success' },
    ];
    const stdout = lines(...all.filter((_, index) => index !== 1));
    const drafts = readLogs(parser({ mergedApart: true }), { stdout, pty: lines(...all) });
    expect(summarize(drafts)).toMatchObject({
      final_messages: ['one two'],
      warnings: ['PTY_FALLBACK_USED', 'PTY_STREAM_MISMATCH'],
    });
  });
});

describe('the document of gemini', () => {
  test('is one unit of all its lines, with the answer, the usage over all models and the number of calls', () => {
    const other = { ...stats.models.m, roles: { utility_router: {} } };
    const main = { ...stats.models.m, roles: { main: {} } };
    const stdout = document({ ...answer, stats: { models: { other, main }, tools: { totalCalls: 3 } } });
    const drafts = readLogs(parser(), { stdout });
    expect(typesOf(drafts)).toEqual(['lifecycle.run.status', 'agent.message.final', 'lifecycle.run.status']);
    for (const draft of drafts) {
      expect(draft.raw_ref).toMatchObject({ byte_from: 0, byte_to: stdout.length });
      expect(draft.source).toMatchObject({ parser: 'gemini_json', confidence: 0.9 });
    }
    expect(drafts[0]!.data).toMatchObject({ session_id: 's', model: 'main' });
    expect(drafts[2]!.data).toEqual({
      status: 'running',
      phase: 'response',
      usage: {
        tool_calls: 3,
        input_tokens: 8,
        output_tokens: 6,
        total_tokens: 16,
        cached_input_tokens: 2,
        reasoning_tokens: 2,
      },
    });
  });

  test('has drifted when it is found on stderr, unless it tells of an error', () => {
    expect(codesOf(readLogs(parser(), { stderr: document(answer) }))).toEqual(['CHANNEL_DRIFT']);
    const failure = { session_id: 's', error: { type: 'Error', message: 'no luck', code: 1 } };
    const drafts = readLogs(parser(), { stderr: document(failure) });
    expect(codesOf(drafts)).toEqual(['ENGINE_ERROR']);
    expect(phasesOf(drafts)).toEqual(['session', 'error']);
  });

  test.each([
    [41, 'x', 'ENGINE_AUTH_REQUIRED'],
    [55, 'x', 'ENGINE_NOT_TRUSTED'],
    [429, 'x', 'ENGINE_RATE_LIMITED'],
    [400, 'API key not valid.', 'ENGINE_AUTH_REQUIRED'],
    ['E', 'x', 'ENGINE_ERROR'],
  ])('an error of code %s is known by it or by its message %j', (code, message, expected) => {
    expect(codesOf(readLogs(parser(), { stderr: document({ error: { type: 'E', message, code } }) }))).toEqual([
      expected,
    ]);
  });

  test('with an answer, warnings and an error failed, and keeps them all', () => {
    const error = { type: 'INVALID_STREAM', message: 'empty' };
    const drafts = readLogs(parser(), { stdout: document({ ...answer, error, warnings: ['Loop detected'] }) });
    expect(summarize(drafts).final_messages).toEqual([answer.response]);
    expect(phasesOf(drafts)).toEqual(['session', 'error']);
    expect(drafts[1]).toMatchObject({ data: { message: 'Loop detected', severity: 'warning' } });
  });

  test('is found behind the label of a message for people, and before what is printed on its last line', () => {
    const failure = document({ session_id: 's', error: { type: 'E', message: 'Reached max session turns' } });
    const drafts = readLogs(parser(), { stderr: `[ERROR] ${failure.trimEnd()}Cancelling...\n` });
    expect(phasesOf(drafts)).toEqual(['session', 'error']);
    expect(typesOf(drafts).at(-1)).toBe('raw.stderr');
    expect(coveredBytes(drafts)).toBe(failure.length - 1 + '[ERROR] Cancelling...\n'.length);
  });

  test.each([
    ['an object as node prints it', "{\n  message: 'a { in text',\n  status: 401\n}\n"],
    ['an object behind a stack trace', "    at x (y.js:1) {\n  status: 401,\n  text: '{'\n}\n"],
    ['one brace', '{\n'],
    ['a document that was cut off', '{\n  "session_id": "old",\n  "stats": {\n    "x": {\n'],
  ])('is not swallowed by %s before it', (_name, noise) => {
    const stderr = noise + document({ session_id: 's', error: { type: 'E', message: 'no' } });
    const drafts = readLogs(parser(), { stderr });
    expect(phasesOf(drafts)).toEqual(['session', 'error']);
    expect(summarize(drafts).session_id).toBe('s');
    expect(coveredBytes(drafts)).toBe(stderr.length);
  });

  test('waits for a line that stops in the middle, however long that takes', () => {
    const stdout = Buffer.from(document(answer));
    const middle = stdout.indexOf('done');
    const chunks: Chunk[] = [
      { stream: 'stdout', bytes: stdout.subarray(0, middle), time: TIME },
      { stream: 'stdout', bytes: stdout.subarray(middle), time: TIME + 60_000 },
    ];
    expect(summarize(readChunks(parser(), chunks)).final_messages).toEqual([answer.response]);
  });

  test('that is cut off behind its answer still gives it, less surely and without being an end', () => {
    const stdout = document(answer).slice(0, -20);
    const drafts = readLogs(parser(), { stdout });
    expect(summarize(drafts)).toMatchObject({ session_id: 's', final_messages: [answer.response] });
    expect(codesOf(drafts)).toEqual(['UNPARSED_CONTENT']);
    expect(phasesOf(drafts)).toEqual(['session']);
    expect(drafts.at(-1)!.source.confidence).toBe(0.7);
    expect(typesOf(drafts)[0]).toBe('raw.stdout');
  });

  test('into which something was printed still gives its answer, and closes', () => {
    const noise = 'Attempt 1 failed with status 500. Retrying with backoff...\n';
    const pty = document(answer).replace('  "stats"', `${noise}  "stats"`);
    const drafts = readLogs(parser(), { pty });
    expect(summarize(drafts)).toMatchObject({ final_messages: [answer.response], errors: ['ENGINE_RETRY'] });
    expect(phasesOf(drafts)).toEqual(['session', 'response']);
  });

  test('that is cut off inside its answer gives the fenced JSON the answer holds, as uncertain', () => {
    const response = 'So:\n```json\n{"__SKILL_DONE__": true}\n```\nand caf\u00e9 more';
    const whole = JSON.stringify({ session_id: 's', response }, null, 2).replace('\u00e9', '\\u00e9');
    for (const end of [whole.indexOf(' more'), whole.indexOf('\\u00e9') + 3]) {
      const drafts = readLogs(parser(), { stdout: whole.slice(0, end) });
      expect(summarize(drafts).final_messages).toEqual(['```json\n{"__SKILL_DONE__": true}\n```']);
      expect(codesOf(drafts)).toContain('LOW_CONFIDENCE_PARSE');
      expect(phasesOf(drafts)).toEqual(['session']);
    }
  });

  test('that is larger than a parser holds goes raw, all of it', () => {
    const line = `  "filler": "${'x'.repeat(1024 * 1024)}",\n`;
    const stdout = `{\n${line.repeat(17)}  "response": "late"\n}\n`;
    const drafts = readLogs(parser(), { stdout });
    expect([...new Set(typesOf(drafts))]).toEqual(['raw.stdout', 'diagnostic.parser.warning']);
    expect(codesOf(drafts)).toEqual(['LINE_TOO_LONG']);
    expect(coveredBytes(drafts)).toBe(stdout.length);
  });

  test('with one line that is too long goes raw as well, in the order of its bytes', () => {
    const stdout = `{\n  "response": "${'x'.repeat(17 * 1024 * 1024)}"\n}\n`;
    const drafts = readLogs(parser(), { stdout });
    expect(codesOf(drafts)).toEqual(['LINE_TOO_LONG', 'LINE_TOO_LONG']);
    const raw = drafts.filter(({ event }) => event.type === 'raw.stdout');
    const from = raw.map(({ raw_ref }) => (raw_ref as { byte_from: number }).byte_from);
    expect(from).toEqual([...from].sort((one, other) => one - other));
    expect(coveredBytes(drafts)).toBe(stdout.length);
  });
});

test.each([
  ['Attempt 3 failed: {"error":{"code":429}}. Max attempts reached', ['ENGINE_RATE_LIMITED']],
  ['Attempt 3 failed: fetch failed. Retrying after 512ms...', ['ENGINE_RETRY']],
  ['Error when talking to Gemini API Full report available at: /quota/oauth-429/x.json Error: no', ['ENGINE_ERROR']],
  ['Please set an Auth method in your /h/.gemini/settings.json or specify one', ['ENGINE_AUTH_REQUIRED']],
  ['Error resuming session: Invalid session identifier "x".', ['ENGINE_ERROR']],
  ['YOLO mode is enabled. All tool calls will be automatically approved.', []],
])('the line %j on stderr tells %j', (line, codes) => {
  expect(codesOf(readLogs(parser(), { stderr: `${line}\n` }))).toEqual(codes);
});

/** Bytes of a capture as if they came in these steps, each after a wait. */
function chunksOf(folder: string, which: 'split' | 'pty', steps: readonly { size: number; wait: number }[]): Chunk[] {
  const streams: readonly OutputStream[] = which === 'pty' ? ['pty'] : ['stderr', 'stdout'];
  const chunks: Chunk[] = [];
  let time = TIME;
  for (const stream of streams) {
    const bytes = readFixtureLog(folder, stream)!;
    for (let from = 0; from < bytes.length; ) {
      const { size, wait } = steps[chunks.length % steps.length]!;
      time += wait;
      chunks.push({ stream, bytes: bytes.subarray(from, from + size), time });
      from += size;
    }
  }
  return chunks;
}

describe('whatever the bytes', () => {
  test('the rest of a line whose beginning was given away is not looked through, for it may come in any pieces', () => {
    const rest = 'Retrying after 5ms...\n';
    for (const pieces of [[rest], rest.split('')]) {
      const chunks = ['>', ...pieces].map((text, index) => ({
        stream: 'stderr' as const,
        bytes: Buffer.from(text),
        time: TIME + (index === 0 ? 0 : 1500),
      }));
      expect(typesOf(readChunks(parser(), chunks))).toEqual(['raw.stderr', 'raw.stderr']);
    }
  });

  test('the same bytes at the same times, cut into other chunks, give the same events', () => {
    const some = captures.filter(({ name }) =>
      ['tool-streamjson', 'e500-max2', 'tool', 'e401-streamjson'].includes(name),
    );
    const steps = fc.array(
      fc.record({ size: fc.integer({ min: 1, max: 400 }), wait: fc.constantFrom(0, 0, 1, 30, 51, 120, 1500) }),
      { minLength: 1, maxLength: 40 },
    );
    const cuts = fc.array(fc.nat({ max: 80 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        fc.constantFrom(...some),
        fc.constantFrom('split', 'pty'),
        steps,
        cuts,
        (capture, which, how, sizes) => {
          const whole = chunksOf(capture.folder, which, how);
          let next = 0;
          const cut = whole.flatMap(({ stream, bytes, time }) => {
            const pieces: Chunk[] = [];
            for (let from = 0; from < bytes.length; ) {
              const size = 1 + sizes[next++ % sizes.length]!;
              pieces.push({ stream, bytes: bytes.subarray(from, from + size), time });
              from += size;
            }
            return pieces;
          });
          const glued = whole.reduce<Chunk[]>((all, chunk) => {
            const last = all.at(-1);
            if (last && last.stream === chunk.stream && last.time === chunk.time) {
              last.bytes = Buffer.concat([last.bytes, chunk.bytes]);
            } else all.push({ ...chunk });
            return all;
          }, []);
          const expected = readChunks(parser(), whole);
          expect(readChunks(parser(), cut)).toEqual(expected);
          expect(readChunks(parser(), glued)).toEqual(expected);
        },
      ),
      { numRuns: proofSize({ small: 40, full: 150 }) },
    );
  });

  test('lines that were mutilated never make it throw, lose a byte or break the protocol', () => {
    const logs = captures.map(({ folder }) => ({
      stdout: readFixtureLog(folder, 'stdout')!,
      stderr: readFixtureLog(folder, 'stderr')!,
    }));
    const mutation = fc.record({
      kind: fc.constantFrom('drop', 'duplicate', 'flip', 'cut', 'splice', 'type', 'brace'),
      where: fc.nat(),
      other: fc.nat(),
    });
    fc.assert(
      fc.property(fc.constantFrom(...logs), fc.array(mutation, { minLength: 1, maxLength: 6 }), (log, mutations) => {
        const stdout = mutations.reduce((bytes, one) => mutate(bytes, one), log.stdout);
        const stderr = mutations.reduce((bytes, one) => mutate(bytes, one), log.stderr);
        const drafts = readLogs(parser(), { stdout, stderr });
        checkDrafts(drafts);
        expect(coveredBytes(drafts)).toBe(stdout.length + stderr.length);
      }),
      { numRuns: proofSize({ small: 500, full: 2000 }) },
    );
  });
});

const VALUES = ['null', '7', '"x"', '[]', '{}', 'true', '1e308', '[[[[', '{"a":{"b":[1]}}'];

function mutate(bytes: Buffer, { kind, where, other }: { kind: string; where: number; other: number }): Buffer {
  if (bytes.length === 0) return bytes;
  const place = where % bytes.length;
  const until = Math.min(bytes.length, place + 1 + (other % 40));
  const before = bytes.subarray(0, place);
  const after = bytes.subarray(until);
  switch (kind) {
    case 'drop':
      return Buffer.concat([before, after]);
    case 'duplicate':
      return Buffer.concat([bytes.subarray(0, until), bytes.subarray(place)]);
    case 'flip':
      return Buffer.concat([before, Buffer.from([bytes[place]! ^ (1 << (other % 8))]), bytes.subarray(place + 1)]);
    case 'cut':
      return bytes.subarray(0, place);
    case 'splice': {
      const feed = bytes.indexOf(0x0a, place);
      return feed < 0 ? bytes : Buffer.concat([bytes.subarray(0, feed), bytes.subarray(feed + 1)]);
    }
    case 'type': {
      const values = [...bytes.toString('latin1').matchAll(/(?<=":\s?)("(?:[^"\\]|\\.)*"|[\d.]+|true)/g)];
      const chosen = values[where % Math.max(1, values.length)];
      if (!chosen) return bytes;
      const value = Buffer.from(VALUES[other % VALUES.length]!);
      return Buffer.concat([bytes.subarray(0, chosen.index), value, bytes.subarray(chosen.index + chosen[0].length)]);
    }
    default:
      return Buffer.concat([before, Buffer.from(other % 2 ? '{\n' : '\n{\n  "a": '), bytes.subarray(place)]);
  }
}
