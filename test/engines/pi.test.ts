import { describe, expect, test } from 'vitest';
import { createPiParser } from '../../src/engines/pi/parser.ts';
import { pi } from '../../src/engines/pi/profile.ts';
import type { RaspDraft } from '../../src/protocol/index.ts';
import { listFixtures, readFixtureLog } from '../support/fixtures.ts';
import { coveredBytes, linesWithout, parserContext, readChunks, readLogs, summarize, TIME } from './read-log.ts';
import { describeLaws, lines } from './stream-json-laws.ts';

const parser = () => createPiParser(parserContext('pi'));
const dataOf = (drafts: readonly RaspDraft[], type: string) =>
  drafts.filter(({ event }) => event.type === type).map(({ data }) => data as Record<string, unknown>);
const phasesOf = (drafts: readonly RaspDraft[]) =>
  dataOf(drafts, 'lifecycle.run.status').map(({ phase }) => phase as string);
const errorsOf = (drafts: readonly RaspDraft[]) => dataOf(drafts, 'diagnostic.engine.error').map(({ code }) => code);

const answer = (content: unknown[], more = {}) => ({ role: 'assistant', content, stopReason: 'stop', ...more });
const text = (said: string) => ({ type: 'text', text: said });
const begin = { type: 'message_start', message: answer([]) };
const end = (message: unknown) => ({ type: 'message_end', message });
const piece = (delta: string, contentIndex = 0) => ({
  type: 'message_update',
  message: answer([]),
  assistantMessageEvent: { type: 'text_delta', contentIndex, delta },
});
const failed = end(answer([], { stopReason: 'error', errorMessage: '503 busy' }));
const tool = (step: string, more = {}) => ({
  type: `tool_execution_${step}`,
  toolCallId: 'c',
  toolName: 'bash',
  ...more,
});
const agentStart = { type: 'agent_start' };
const agentEnd = { type: 'agent_end', messages: [] };
const retry = { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: '503 busy' };

describeLaws('pi', createPiParser);

function capture(name: string): RaspDraft[] {
  const { folder } = listFixtures().find((fixture) => fixture.engine === 'pi' && fixture.name === name)!;
  return readLogs(parser(), { stdout: readFixtureLog(folder, 'stdout') });
}

/** What the last phases say, as the profile reads them. */
function verdict(drafts: readonly RaspDraft[]): 'terminal' | 'failed' | 'none' {
  const { started, terminal, failed: failing } = pi.signals;
  let state: 'terminal' | 'failed' | 'none' = 'none';
  for (const phase of phasesOf(drafts)) {
    if (started.includes(phase)) state = 'none';
    if (terminal.includes(phase)) state = 'terminal';
    if (failing.includes(phase)) state = 'failed';
  }
  return state;
}

describe('a message', () => {
  test('is told in pieces of a tenth of a second and once as a whole, under one id', () => {
    const all = lines(begin, piece('a'), piece('b'), piece('c'), end(answer([text('abc')])));
    const chunks = all.split(/(?<=\n)/).map((line, index) => ({
      stream: 'stdout' as const,
      bytes: Buffer.from(line),
      time: TIME + index * 60,
    }));
    const drafts = readChunks(parser(), chunks);
    const said = drafts.filter(({ event }) => event.category === 'agent');
    expect(said.map(({ event, data }) => [event.type, data])).toEqual([
      ['agent.message.delta', { message_id: '1.stdout.0.0', text: 'ab' }],
      ['agent.message.delta', { message_id: '1.stdout.0.0', text: 'c' }],
      ['agent.message.final', { message_id: '1.stdout.0.0', text: 'abc' }],
    ]);
    expect(coveredBytes(drafts)).toBe(all.length);
  });

  test('of several parts is several messages; what the ends of turn and agent repeat is not said again', () => {
    const message = answer([text('one'), { type: 'thinking', thinking: 'hm' }, text('two')]);
    const stdout = lines(
      begin,
      end(message),
      { type: 'turn_end', message, toolResults: [] },
      { type: 'agent_end', messages: [message] },
    );
    const drafts = readLogs(parser(), { stdout });
    expect(summarize(drafts)).toMatchObject({ final_messages: ['one', 'two'], reasoning: ['hm'] });
    expect(dataOf(drafts, 'agent.message.final').map(({ message_id }) => message_id)).toEqual([
      '1.stdout.0.0',
      '1.stdout.0.2',
    ]);
  });

  test('that never ends leaves the pieces it was told in, and no byte uncovered', () => {
    const stdout = lines(begin, piece('a'), { ...begin, type: 'message_start' }).slice(0, -1);
    const drafts = readLogs(parser(), { stdout });
    expect(dataOf(drafts, 'agent.message.delta')).toEqual([{ message_id: '1.stdout.0.0', text: 'a' }]);
    expect(coveredBytes(drafts)).toBe(stdout.length);
  });

  test('tells the model once, and what all messages have used', () => {
    const drafts = capture('many-tools');
    const models = dataOf(drafts, 'lifecycle.run.status').filter((data) => 'model' in data);
    expect(models).toEqual([{ status: 'running', phase: 'message_start', model: 'fake-model' }]);
    expect(summarize(drafts).usage).toEqual({
      input_tokens: 280,
      output_tokens: 80,
      cached_input_tokens: 120,
      cache_write_tokens: 0,
      total_tokens: 480,
      cost_usd: 0,
    });
  });
});

describe('a call of a tool', () => {
  test('that runs beside another keeps its own updates as evidence of its result', () => {
    const drafts = capture('many-tools');
    const [read, bash] = drafts.filter(({ event }) => event.type === 'tool.call.failed');
    expect(read!.data).toMatchObject({ call_id: '1.call_1_1', name: 'read', kind: 'file' });
    expect(Array.isArray(read!.raw_ref)).toBe(false);
    expect(bash!.data).toMatchObject({ call_id: '1.call_1_0', name: 'bash', kind: 'command', exit_code: 3 });
    expect(bash!.raw_ref).toHaveLength(2);
    expect(bash!.correlation.call_id).toBe('1.call_1_0');
  });

  test('that only ends gets a start of its own, one that never ends keeps its updates', () => {
    const stdout = lines(
      tool('end', { result: { content: [] }, isError: false }),
      tool('start', { args: { command: 'x' } }),
      tool('update', { args: {}, partialResult: {} }),
    );
    const drafts = readLogs(parser(), { stdout });
    expect(drafts.map(({ event }) => event.type)).toEqual([
      'tool.call.started',
      'tool.call.completed',
      'tool.call.started',
      'lifecycle.run.status',
    ]);
    expect(coveredBytes(drafts)).toBe(stdout.length);
  });

  test('begun twice with one id loses no update', () => {
    const update = tool('update', { args: {}, partialResult: {} });
    const stdout = lines(tool('start', { args: {} }), update, tool('start', { args: {} }), update);
    expect(coveredBytes(readLogs(parser(), { stdout }))).toBe(stdout.length);
  });
});

describe('a failure', () => {
  test('before another try is only the reason for it, whatever came before', () => {
    const drafts = readLogs(parser(), { stdout: lines(agentStart, begin, failed, agentEnd, retry) });
    expect(dataOf(drafts, 'diagnostic.engine.error')).toEqual([
      {
        code: 'ENGINE_RETRY',
        message: '503 busy',
        severity: 'warning',
        attempt: 1,
        max_attempts: 3,
        delay_ms: 2000,
        error_class: 'server',
        status_code: 503,
      },
    ]);
    expect(verdict(drafts)).toBe('failed');
  });

  test('is forgotten when the other try succeeds', () => {
    const again = lines(agentStart, begin, failed, agentEnd, retry, agentStart, begin, end(answer([text('ok')])));
    const stdout = again + lines({ type: 'auto_retry_end', success: true, attempt: 1 }, agentEnd);
    const drafts = readLogs(parser(), { stdout });
    expect(errorsOf(drafts)).toEqual(['ENGINE_RETRY']);
    expect(verdict(drafts)).toBe('terminal');
    expect(coveredBytes(drafts)).toBe(stdout.length);
  });

  test('counts when there is no other try, whichever way that is told', () => {
    const ends = [
      [agentEnd],
      [agentEnd, { type: 'auto_retry_end', success: false, attempt: 3, finalError: '503 busy' }],
      [agentEnd, { type: 'compaction_end', reason: 'overflow', aborted: false, willRetry: false }],
      [agentEnd, { type: 'queue_update', steering: [], followUp: [] }],
      [],
    ];
    for (const events of ends) {
      const stdout = lines(agentStart, begin, failed, ...events);
      const drafts = readLogs(parser(), { stdout });
      expect(errorsOf(drafts)).toEqual(['ENGINE_ERROR']);
      expect(verdict(drafts)).toBe('failed');
      expect(coveredBytes(drafts)).toBe(stdout.length);
    }
  });

  test('of a context that grew too long is followed by another try after it was made shorter', () => {
    const compaction = [
      { type: 'compaction_start', reason: 'overflow' },
      { type: 'compaction_end', reason: 'overflow', result: {}, aborted: false, willRetry: true },
    ];
    const drafts = readLogs(parser(), {
      stdout: lines(agentStart, begin, failed, agentEnd, ...compaction, agentStart, begin, end(answer([])), agentEnd),
    });
    expect(errorsOf(drafts)).toEqual(['ENGINE_RETRY']);
    expect(verdict(drafts)).toBe('terminal');
  });

  test('is also a try that was given up, and an answer that was stopped', () => {
    const cancelled = { type: 'auto_retry_end', success: false, attempt: 1, finalError: 'Retry cancelled' };
    const givenUp = readLogs(parser(), { stdout: lines(agentStart, begin, failed, agentEnd, retry, cancelled) });
    expect(errorsOf(givenUp)).toEqual(['ENGINE_RETRY', 'ENGINE_ERROR']);
    const stopped = end(answer([text('half')], { stopReason: 'aborted' }));
    const drafts = readLogs(parser(), { stdout: lines(agentStart, begin, stopped, agentEnd) });
    expect(phasesOf(drafts).at(-1)).toBe('agent_end.aborted');
    expect(verdict(drafts)).toBe('failed');
    expect(summarize(drafts).final_messages).toEqual(['half']);
  });

  test('exits with 0: only the events tell it', () => {
    const drafts = capture('e401');
    expect(errorsOf(drafts)).toEqual(['ENGINE_AUTH_REQUIRED']);
    expect(verdict(drafts)).toBe('failed');
    expect(verdict(capture('e500'))).toBe('failed');
    expect(verdict(capture('r429'))).toBe('terminal');
  });
});

describe('pi', () => {
  test('has not ended its work with an answer that was cut short', () => {
    const cut = end(answer([text('half')], { stopReason: 'length' }));
    const drafts = readLogs(parser(), { stdout: lines(agentStart, begin, cut, agentEnd) });
    expect(phasesOf(drafts).at(-1)).toBe('agent_end.length');
    expect(verdict(drafts)).toBe('none');
  });

  test('an unknown event, role, piece or block is kept as raw, an unknown field is not; warnings name all of them', () => {
    const update = (assistantMessageEvent: unknown) => ({ ...piece(''), assistantMessageEvent });
    const stdout = lines(
      { type: 'agent_pause' },
      { type: 'session', id: 7 },
      { ...agentStart, mood: 'good' },
      end({ role: 'ghost' }),
      end(answer([{ type: 'hologram' }, text('hi')])),
      end(answer([], { mood: 'good' })),
      update({ type: 'smell' }),
      update({ type: 'text_delta', delta: 5 }),
      update({ type: 'text_start', mood: 'good' }),
      tool('start', { toolName: null }),
    );
    const drafts = readLogs(parser(), { stdout });
    const raw = dataOf(drafts, 'raw.stdout').map(({ text }) => text);
    expect(raw.join('')).toBe(linesWithout(stdout, 'mood'));
    expect(
      dataOf(drafts, 'diagnostic.parser.warning').map(({ event_type, problem }) => `${event_type}: ${problem}`),
    ).toEqual([
      'agent_pause: unknown type',
      'session: unexpected shape',
      'agent_start: unknown fields',
      'message_end ghost: unknown type',
      'message_end hologram: unknown type',
      'message_end assistant: unknown fields',
      'message_update smell: unknown type',
      'message_update text_delta: unexpected shape',
      'message_update text_start: unknown fields',
      'tool_execution_start: unexpected shape',
    ]);
    expect(summarize(drafts).final_messages).toEqual(['hi']);
  });

  test('events on stderr are read and reported as drifted, once', () => {
    const stderr = lines({ type: 'session', version: 3, id: 's' }, agentStart);
    const drafts = readLogs(parser(), { stderr });
    expect(summarize(drafts)).toMatchObject({ session_id: 's', warnings: ['CHANNEL_DRIFT'] });
    expect(drafts).toHaveLength(3);
  });

  test('a value nested without end does no harm, wherever it stands', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const all = lines(
      { ...agentStart, id: 'DEEP', attempt: 'DEEP' },
      tool('start', { args: 'DEEP' }),
      tool('end', { result: 'DEEP', isError: true }),
      { ...piece(''), assistantMessageEvent: { type: 'text_delta', delta: 'DEEP', contentIndex: 'DEEP' } },
      end(answer(['DEEP', { type: 'text', text: 'DEEP' }], { timestamp: 'DEEP', usage: { input: 'DEEP' } })),
    );
    const stdout = all.replaceAll('"DEEP"', deep);
    for (const mergedApart of [false, true]) {
      const drafts = readLogs(createPiParser(parserContext('pi', { mergedApart })), { stdout });
      expect(() => JSON.stringify(drafts)).not.toThrow();
      expect(coveredBytes(drafts)).toBe(stdout.length);
    }
  });

  test('a message that only the merged log holds is recovered where it stands', () => {
    const at = (timestamp: number, said: string) => end(answer([text(said)], { timestamp }));
    const all = [agentStart, at(1, 'one'), at(2, 'two'), agentEnd];
    const stdout = lines(...all.filter((_, index) => index !== 1));
    const apart = createPiParser(parserContext('pi', { mergedApart: true }));
    expect(summarize(readLogs(apart, { stdout, pty: lines(...all) }))).toMatchObject({
      final_messages: ['one', 'two'],
      warnings: ['PTY_FALLBACK_USED', 'PTY_STREAM_MISMATCH'],
    });
  });

  test.each([
    ['No API key found for the selected model.', ['ENGINE_AUTH_REQUIRED']],
    ["\u001b[31mNo session found matching 'x'\u001b[39m", ['ENGINE_ERROR']],
    ['Warning: something', []],
  ])('the line %j on stderr tells %j', (line, codes) => {
    expect(summarize(readLogs(parser(), { stderr: `${line}\n` })).errors).toEqual(codes);
  });
});
