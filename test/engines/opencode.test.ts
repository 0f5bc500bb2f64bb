import { describe, expect, test } from 'vitest';
import { createOpencodeParser } from '../../src/engines/opencode/parser.ts';
import { opencode } from '../../src/engines/opencode/profile.ts';
import type { RaspDraft } from '../../src/protocol/index.ts';
import { listFixtures, readFixtureLog } from '../support/fixtures.ts';
import { coveredBytes, linesWithout, parserContext, readLogs, summarize } from './read-log.ts';
import { describeLaws, lines } from './stream-json-laws.ts';

const parser = () => createOpencodeParser(parserContext('opencode'));
const dataOf = (drafts: readonly RaspDraft[], type: string) =>
  drafts.filter(({ event }) => event.type === type).map(({ data }) => data as Record<string, unknown>);
const phasesOf = (drafts: readonly RaspDraft[]) =>
  dataOf(drafts, 'lifecycle.run.status').map(({ phase }) => phase as string);

function event(type: string, part: Record<string, unknown>) {
  const ids = { id: 'prt_1', messageID: 'msg_1', sessionID: 'ses_1' };
  return { type, timestamp: 1, sessionID: 'ses_1', part: { ...ids, type: type.replace('_', '-'), ...part } };
}
const call = (tool: string, state: Record<string, unknown>) => event('tool_use', { type: 'tool', tool, state });
const finish = (reason: string, more = {}) => event('step_finish', { reason, ...more });
const failure = (error: unknown) => ({ type: 'error', timestamp: 1, sessionID: 'ses_1', error });

describeLaws('opencode', createOpencodeParser);

function capture(name: string): RaspDraft[] {
  const { folder } = listFixtures().find((fixture) => fixture.engine === 'opencode' && fixture.name === name)!;
  return readLogs(parser(), { stdout: readFixtureLog(folder, 'stdout'), stderr: readFixtureLog(folder, 'stderr') });
}

describe('a call of a tool', () => {
  test('begins and ends on the same line, by the engine’s own clock', () => {
    const drafts = capture('tool');
    const [started] = drafts.filter(({ event }) => event.type === 'tool.call.started');
    const [completed] = drafts.filter(({ event }) => event.type === 'tool.call.completed');
    expect(started!.raw_ref).toEqual(completed!.raw_ref);
    expect(started!.data).toEqual({
      call_id: 'prt_1de079497001xJRgn2nS5r7BCq',
      name: 'bash',
      kind: 'command',
      arguments: {
        command: 'mkdir -p artifacts && echo "hello artifact" > artifacts/text.md && echo TOOL_RAN_OK',
        description: 'Write an artifact',
      },
      started_at: '2026-11-15T07:06:41.198Z',
    });
    expect(completed!.data).toEqual({
      ...started!.data,
      result: 'TOOL_RAN_OK\n',
      exit_code: 0,
      ended_at: '2026-11-15T07:06:41.462Z',
      duration_ms: 264,
    });
  });

  test('keeps the exit code of a command that failed, as the engine says that the call itself did not', () => {
    const [command] = dataOf(capture('many-tools'), 'tool.call.completed').filter(({ name }) => name === 'bash');
    expect(command).toMatchObject({ exit_code: 3, result: 'out\nerr\n' });
  });

  test('that was refused has failed, and the line on stderr tells why the run gave up', () => {
    const drafts = capture('permission-rejected');
    expect(dataOf(drafts, 'tool.call.failed')).toMatchObject([
      { name: 'bash', result: 'The user rejected permission to use this specific tool call.' },
    ]);
    expect(dataOf(drafts, 'diagnostic.engine.error')).toMatchObject([
      {
        code: 'ENGINE_PERMISSION_REJECTED',
        severity: 'error',
        message:
          '! permission requested: bash (mkdir -p artifacts, echo "hello artifact", echo TOOL_RAN_OK); auto-rejecting',
      },
    ]);
    expect(phasesOf(drafts)).toEqual(['step_start', 'step_finish.tool-calls']);
  });

  test('whose result was left out of the context later is no second call', () => {
    const state = { status: 'completed', input: {}, output: 'x', time: { start: 1, end: 2, compacted: 3 } };
    const drafts = readLogs(parser(), { stdout: lines(finish('stop'), call('bash', state)) });
    expect(summarize(drafts)).toMatchObject({ started: 0, tools: [] });
    expect(phasesOf(drafts).at(-1)).toBe('tool_use.compacted');
  });

  test('without times, or with times that cannot be, gives none', () => {
    const times = [undefined, { start: 'x', end: null }, { start: 1e300, end: 5 }];
    for (const time of times) {
      const state = { status: 'completed', input: {}, output: 'x', time };
      const [data] = dataOf(readLogs(parser(), { stdout: lines(call('x_y', state)) }), 'tool.call.completed');
      expect(data).toMatchObject({ kind: 'other', result: 'x' });
      expect(data).not.toHaveProperty('started_at');
      expect(data).not.toHaveProperty('duration_ms');
    }
  });
});

describe('opencode', () => {
  test('tells its plan by a tool, which is both a call and a plan', () => {
    const drafts = capture('many-tools');
    expect(dataOf(drafts, 'agent.plan.updated')).toEqual([
      {
        items: [
          { text: 'look around', status: 'completed' },
          { text: 'change a file', status: 'in_progress' },
        ],
      },
    ]);
    expect(summarize(drafts).tools[0]).toEqual({ name: 'todowrite', kind: 'other', state: 'completed' });
  });

  test('has used what all of its steps used', () => {
    expect(summarize(capture('many-tools')).usage).toEqual({
      input_tokens: 350,
      output_tokens: 100,
      reasoning_tokens: 25,
      cached_input_tokens: 150,
      cache_write_tokens: 0,
      total_tokens: 600,
      cost_usd: 0,
    });
    const cost = (amount: unknown) => finish('tool-calls', { cost: amount, tokens: { input: 1e308 } });
    const drafts = readLogs(parser(), { stdout: lines(cost(0.5), cost('free'), cost(0.25)) });
    expect(summarize(drafts).usage).toEqual({ input_tokens: 1e308, total_tokens: 1e308, cost_usd: 0.75 });
  });

  test.each([
    ['stop', true],
    ['tool-calls', false],
    ['length', false],
    ['content-filter', false],
  ])('a step that ends with reason %s has ended the work: %s', (reason, ended) => {
    const phase = phasesOf(readLogs(parser(), { stdout: lines(finish(reason)) })).at(-1)!;
    expect(phase).toBe(`step_finish.${reason}`);
    expect(opencode.signals.terminal.includes(phase)).toBe(ended);
  });

  test('tells its session in an error too, when that is all it prints', () => {
    const drafts = capture('e401');
    expect(drafts.map(({ data }) => data)).toEqual([
      { status: 'running', phase: 'error', session_id: 'ses_e20f0c4b4ffeErJei1zPy0LmgQ' },
      {
        code: 'ENGINE_AUTH_REQUIRED',
        message: 'Incorrect API key provided: fake',
        severity: 'error',
        name: 'APIError',
        status_code: 401,
        error_class: 'auth',
      },
    ]);
    expect(drafts[1]!.correlation.session_id).toBe('ses_e20f0c4b4ffeErJei1zPy0LmgQ');
  });

  test.each([
    [{ name: 'APIError', data: { message: 'slow down', statusCode: 429 } }, 'ENGINE_RATE_LIMITED', 'slow down'],
    [{ name: 'ProviderAuthError', data: { message: 'who?' } }, 'ENGINE_AUTH_REQUIRED', 'who?'],
    [{ name: 'UnknownError', data: { message: 'Unauthorized' } }, 'ENGINE_AUTH_REQUIRED', 'Unauthorized'],
    [{ name: 'MessageOutputLengthError', data: {} }, 'ENGINE_ERROR', 'MessageOutputLengthError'],
    ['it broke', 'ENGINE_ERROR', 'it broke'],
    [null, 'ENGINE_ERROR', 'opencode reported an error'],
  ])('the error %j is %s', (error, code, message) => {
    const drafts = readLogs(parser(), { stdout: lines(event('step_start', {}), failure(error)) });
    expect(phasesOf(drafts)).toEqual(['step_start', 'error']);
    expect(dataOf(drafts, 'diagnostic.engine.error')).toMatchObject([{ code, message }]);
    expect(summarize(drafts).warnings).toEqual(typeof error === 'object' && error ? [] : ['UNPARSED_CONTENT']);
  });

  test('an unknown event, part or state is kept as raw, an unknown field is not; warnings name all of them', () => {
    const stdout = lines(
      { type: 'step_pause', timestamp: 1, sessionID: 'ses_1' },
      { ...event('text', { text: 'hi' }), mood: 'good' },
      event('text', { text: 'ho', mood: 'good' }),
      event('text', { text: 7 }),
      event('text', { type: 'hologram', text: 'x' }),
      call('bash', { status: 'dreaming' }),
    );
    const drafts = readLogs(parser(), { stdout });
    const raw = dataOf(drafts, 'raw.stdout').map(({ text }) => text);
    expect(raw.join('')).toBe(linesWithout(stdout, 'mood'));
    expect(dataOf(drafts, 'diagnostic.parser.warning')).toMatchObject([
      { event_type: 'step_pause', problem: 'unknown type' },
      { event_type: 'text', problem: 'unknown fields', fields: ['mood'] },
      { event_type: 'text part', problem: 'unknown fields', fields: ['mood'] },
      { event_type: 'text', problem: 'unexpected shape' },
      { event_type: 'text', problem: 'unexpected shape' },
      { event_type: 'tool_use', problem: 'unexpected shape' },
    ]);
    expect(summarize(drafts).final_messages).toEqual(['hi', 'ho']);
  });

  test('events on stderr are read and reported as drifted, once', () => {
    const stderr = lines(event('step_start', {}), finish('stop'));
    const drafts = readLogs(parser(), { stderr });
    expect(summarize(drafts)).toMatchObject({ session_id: 'ses_1', warnings: ['CHANNEL_DRIFT'] });
    expect(drafts).toHaveLength(3);
  });

  test('a value nested without end does no harm, wherever it stands', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const all = lines(
      { ...event('text', { id: 'DEEP', text: 'x' }), timestamp: 'DEEP' },
      call('todowrite', { status: 'completed', input: { todos: ['DEEP'] }, output: 'DEEP', metadata: 'DEEP' }),
      failure({ name: 'DEEP', data: 'DEEP' }),
    );
    const stdout = all.replaceAll('"DEEP"', deep);
    for (const mergedApart of [false, true]) {
      const drafts = readLogs(createOpencodeParser(parserContext('opencode', { mergedApart })), { stdout });
      expect(() => JSON.stringify(drafts)).not.toThrow();
      expect(coveredBytes(drafts)).toBe(stdout.length);
    }
  });

  test('a message that only the merged log holds is recovered where it stands', () => {
    const all = [
      event('step_start', { id: 'prt_0' }),
      event('text', { id: 'prt_1', text: 'one' }),
      event('text', { id: 'prt_2', text: 'two' }),
      finish('stop', { id: 'prt_3' }),
    ];
    const stdout = lines(...all.filter((_, index) => index !== 1));
    const apart = createOpencodeParser(parserContext('opencode', { mergedApart: true }));
    expect(summarize(readLogs(apart, { stdout, pty: lines(...all) }))).toMatchObject({
      final_messages: ['one', 'two'],
      warnings: ['PTY_FALLBACK_USED', 'PTY_STREAM_MISMATCH'],
    });
  });

  test.each([
    ['\u001b[91m\u001b[1mError: \u001b[0mSession not found', ['ENGINE_ERROR']],
    ['\u001b[93m\u001b[1m! \u001b[0mpermission requested: bash (cat <<END', ['ENGINE_PERMISSION_REJECTED']],
    ['\u001b[93m\u001b[1m! \u001b[0m agent "x" not found. Falling back to default agent', []],
    ['timestamp=2026-11-15T11:53:42.532Z level=ERROR run=3a message="stream error" small=false', ['ENGINE_RETRY']],
    ['timestamp=2026-11-15T11:53:42.532Z level=WARN run=3a message="slow"', []],
  ])('the line %j on stderr tells %j', (line, codes) => {
    const drafts = readLogs(parser(), { stderr: `${line}\n` });
    expect(summarize(drafts).errors).toEqual(codes);
    expect(coveredBytes(drafts)).toBe(Buffer.byteLength(line) + 1);
  });
});
