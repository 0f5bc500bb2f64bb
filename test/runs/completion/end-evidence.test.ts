import { describe, expect, test } from 'vitest';
import { codex } from '../../../src/engines/codex/profile.ts';
import type { EngineProfile } from '../../../src/engines/engine.ts';
import { gemini } from '../../../src/engines/gemini/profile.ts';
import { pi } from '../../../src/engines/pi/profile.ts';
import { text } from '../../../src/engines/text/profile.ts';
import type { OutputStream, RaspData, RaspType } from '../../../src/protocol/index.ts';
import { analyzeCompletion } from '../../../src/runs/completion/completion.ts';
import { type EndEvidence, EndObserver } from '../../../src/runs/completion/end-evidence.ts';
import { parserContext, readLogs } from '../../engines/read-log.ts';
import { raspEvent } from '../../protocol/samples.ts';

const MARKER = '{"__SKILL_DONE__": true}';
const SIGNAL = 'AGENT_ENV_DONE {"version":"1","state":"interrupted","reason_code":"OUT_OF_IDEAS"}';
const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

/** The evidence in the output of an engine, read by its own parser. */
function observeOutput(profile: EngineProfile, logs: Partial<Record<OutputStream, string>>): EndEvidence {
  const observer = new EndObserver(profile);
  observer.observe(readLogs(profile.parser.create(parserContext(profile.name)), logs));
  return observer.evidence;
}

/** The evidence in given events. */
function observeEvents(
  signals: EngineProfile['signals'],
  events: readonly { [T in RaspType]: [T, RaspData<T>, stream?: null] }[RaspType][],
): EndEvidence {
  const observer = new EndObserver({ signals });
  for (const [at, [type, data, stream = 'stdout']] of events.entries()) {
    const source = { engine: 'codex', parser: 'codex_ndjson', stream, confidence: 1 };
    const raw_ref = { attempt_number: 1, stream: 'stdout', byte_from: at, byte_to: at + 1 };
    observer.observe([raspEvent(type, { seq: at + 1, data, source, raw_ref })]);
  }
  return observer.evidence;
}

const phase = (name: string): ['lifecycle.run.status', RaspData<'lifecycle.run.status'>] => [
  'lifecycle.run.status',
  { status: 'running', phase: name },
];
const failedWith = (
  code: string,
  severity: 'warning' | 'error' = 'error',
): ['diagnostic.engine.error', RaspData<'diagnostic.engine.error'>] => [
  'diagnostic.engine.error',
  { code, message: `message of ${code}`, severity },
];

/** How an attempt with this evidence and exit 0 ends. */
const endsAs = (evidence: EndEvidence) => {
  const { state, reason_code } = analyzeCompletion({
    exit: { exit_code: 0, signal: null },
    endedByUs: null,
    terminalBy: 'engine',
    mode: 'auto',
    markerRequired: false,
    evidence,
  });
  return { state, reason_code };
};

describe('the done marker', () => {
  const item = (of: object) => ({ type: 'item.completed', item: { id: 'item_0', ...of } });

  test('counts in an assistant message, with the bytes of the message', () => {
    const said = lines(item({ type: 'agent_message', text: `All done.\n\`\`\`json\n${MARKER}\n\`\`\`` }));
    expect(observeOutput(codex, { stdout: said }).markers).toEqual([
      {
        kind: 'marker',
        detail: '"__SKILL_DONE__": true',
        legacy: false,
        raw_ref: { attempt_number: 1, stream: 'stdout', byte_from: 0, byte_to: said.length },
      },
    ]);
  });

  test('does not count in tool output, in reasoning, or in lines outside of the protocol', () => {
    const stdout = lines(
      { type: 'thread.started', thread_id: 't' },
      item({ type: 'reasoning', text: `I shall print ${MARKER}` }),
      item({
        type: 'command_execution',
        command: `cat SKILL.md # ${MARKER}`,
        aggregated_output: `Print ${MARKER} at the end.\n${SIGNAL}\n`,
        exit_code: 0,
        status: 'completed',
      }),
      item({ type: 'agent_message', text: 'I read the skill.' }),
      { type: 'turn.completed' },
    );
    const { markers, doneSignal, invalidSignal, lastMessage } = observeOutput(codex, {
      stdout,
      stderr: `echo ${MARKER}\n`,
    });
    expect({ markers, doneSignal, invalidSignal, lastMessage }).toEqual({
      markers: [],
      doneSignal: null,
      invalidSignal: null,
      lastMessage: 'I read the skill.',
    });
  });

  test('does not count in a prompt that the engine repeats, or in events of tacho', () => {
    const stdout = lines(
      { type: 'init', timestamp: '2026-11-15T08:00:00.000Z', session_id: 's', model: 'm' },
      {
        type: 'message',
        timestamp: '2026-11-15T08:00:00.000Z',
        role: 'user',
        content: `End with ${MARKER}\n${SIGNAL}`,
      },
    );
    expect(observeOutput(gemini, { stdout })).toMatchObject({ markers: [], doneSignal: null });
    const own = observeEvents(codex.signals, [
      ['agent.message.final', { message_id: '1', text: MARKER }, null],
      ['lifecycle.run.status', { status: 'succeeded', phase: 'turn.completed', session_id: 's' }, null],
    ]);
    expect(own).toMatchObject({ markers: [], terminal: null, lastMessage: null, sessionId: null });
  });

  test('is found once if deltas split it', () => {
    const delta = (content: string) => ({
      type: 'message',
      timestamp: '2026-11-15T08:00:00.000Z',
      role: 'assistant',
      content,
      delta: true,
    });
    const stdout = lines(
      { type: 'init', timestamp: '2026-11-15T08:00:00.000Z', session_id: 's', model: 'm' },
      ...Array.from(`All done. ${MARKER}`, delta),
      { type: 'result', timestamp: '2026-11-15T08:00:00.000Z', status: 'success', stats: {} },
    );
    const evidence = observeOutput(gemini, { stdout });
    expect(evidence.markers.map(({ detail }) => detail)).toEqual(['"__SKILL_DONE__": true']);
    expect(endsAs(evidence)).toEqual({ state: 'completed', reason_code: 'DONE_MARKER' });
  });

  test('is not searched in deltas, only in complete messages', () => {
    const delta = observeEvents(codex.signals, [['agent.message.delta', { message_id: '1', text: MARKER }]]);
    expect(delta.markers).toEqual([]);
  });

  test('counts with colours inside it', () => {
    const coloured = '{\u001b[1m"__SKILL\u001b[32m_DONE__"\u001b[0m: \u001b[33mtrue\u001b[0m}';
    const { markers } = observeOutput(codex, { stdout: lines(item({ type: 'agent_message', text: coloured })) });
    expect(markers).toMatchObject([{ detail: '"__SKILL_DONE__": true', legacy: false }]);
  });

  test('is reported for every occurrence, each in its own form', () => {
    const { markers } = observeEvents(codex.signals, [
      ['agent.message.final', { message_id: '1', text: `${MARKER} ${MARKER.toLowerCase()}` }],
      ['agent.message.final', { message_id: '2', text: MARKER }],
    ]);
    expect(markers.map(({ legacy }) => legacy)).toEqual([false, true, false]);
  });
});

describe('the done signal', () => {
  test.each(['stdout', 'stderr', 'pty'] as const)('counts on a line of %s', (stream) => {
    const evidence = observeOutput(text, { [stream]: `working\r\n${SIGNAL}\r\nbye\r\n` });
    expect(evidence.doneSignal).toMatchObject({
      kind: 'done_signal',
      detail: SIGNAL,
      signal: { version: '1', state: 'interrupted', reason_code: 'OUT_OF_IDEAS' },
      raw_ref: { stream },
    });
  });

  test('counts outside of an engine’s protocol, and in assistant messages', () => {
    const beside = observeOutput(codex, { stdout: lines({ type: 'turn.started' }), stderr: `${SIGNAL}\n` });
    expect(beside.doneSignal?.signal.reason_code).toBe('OUT_OF_IDEAS');
    const said = { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: `Well:\n${SIGNAL}\n` } };
    const inside = observeOutput(codex, { stdout: lines(said) });
    expect(inside.doneSignal?.signal.reason_code).toBe('OUT_OF_IDEAS');
    expect(endsAs(inside)).toEqual({ state: 'interrupted', reason_code: 'OUT_OF_IDEAS' });
  });

  test('counts at its first valid occurrence; an invalid one is kept in addition', () => {
    const other = SIGNAL.replace('OUT_OF_IDEAS', 'ANOTHER');
    const { doneSignal, invalidSignal } = observeOutput(text, {
      stdout: `AGENT_ENV_DONE {}\n${SIGNAL}\n${other}\nAGENT_ENV_DONE []\n`,
    });
    expect(doneSignal?.signal.reason_code).toBe('OUT_OF_IDEAS');
    expect(invalidSignal?.detail).toBe('AGENT_ENV_DONE {}');
  });

  test('does not decide when it says that the state is unknown', () => {
    const unknown =
      'AGENT_ENV_DONE {"version":"1","state":"unknown","skill":"paint-doors","reason_code":"NO_EVIDENCE"}';
    const alone = observeOutput(text, { stdout: `${unknown}\n` });
    expect(alone).toMatchObject({ doneSignal: null, undecidedSignal: { kind: 'done_signal', detail: unknown } });
    const both = observeOutput(text, { stdout: `${unknown}\n${SIGNAL}\n` });
    expect(both.doneSignal?.signal.reason_code).toBe('OUT_OF_IDEAS');
  });
});

describe('the end of a turn', () => {
  const bytes = (byte_from: number) => ({ attempt_number: 1, stream: 'stdout', byte_from, byte_to: byte_from + 1 });

  test('is only what the profile defines', () => {
    expect(observeEvents(codex.signals, [phase('turn.started'), phase('turn.completed')])).toMatchObject({
      terminal: { kind: 'terminal', detail: 'turn.completed', raw_ref: bytes(1) },
      failure: null,
    });
    expect(observeEvents(codex.signals, [phase('result'), phase('error')])).toMatchObject({
      terminal: null,
      failure: null,
    });
  });

  test('does not count once the next turn has started', () => {
    const evidence = observeEvents(codex.signals, [phase('turn.completed'), phase('turn.started')]);
    expect(evidence.terminal).toBeNull();
    expect(endsAs(evidence).reason_code).toBe('ENGINE_ENDED_WITHOUT_TERMINAL_EVENT');
  });

  test('counts at its last occurrence', () => {
    const twice = [phase('turn.started'), phase('turn.completed')];
    expect(observeEvents(codex.signals, [...twice, ...twice]).terminal?.raw_ref).toEqual(bytes(3));
  });

  test('is a success if a failure was followed by a successful retry (pi)', () => {
    const answer = (more: object) => ({ role: 'assistant', content: [], ...more });
    const failed = answer({ stopReason: 'error', errorMessage: '503 busy' });
    const worked = answer({ stopReason: 'stop', content: [{ type: 'text', text: 'There you are.' }] });
    const failing = [
      { type: 'agent_start' },
      { type: 'message_start', message: answer({}) },
      { type: 'message_end', message: failed },
      { type: 'agent_end', messages: [failed] },
    ];
    const again = [
      { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: '503 busy' },
      { type: 'agent_start' },
      { type: 'message_start', message: answer({}) },
      { type: 'message_end', message: worked },
      { type: 'agent_end', messages: [worked] },
    ];
    expect(endsAs(observeOutput(pi, { stdout: lines(...failing) }))).toEqual({
      state: 'interrupted',
      reason_code: 'ENGINE_ERROR',
    });
    expect(endsAs(observeOutput(pi, { stdout: lines(...failing, ...again) }))).toEqual({
      state: 'completed',
      reason_code: 'TERMINAL_SIGNAL',
    });
  });

  test('is a failure if the last of several tries failed', () => {
    const evidence = observeEvents(codex.signals, [
      phase('turn.completed'),
      phase('turn.started'),
      failedWith('ENGINE_AUTH_REQUIRED'),
      failedWith('ENGINE_ERROR'),
      phase('turn.failed'),
    ]);
    expect(endsAs(evidence)).toEqual({ state: 'interrupted', reason_code: 'ENGINE_AUTH_REQUIRED' });
  });
});

describe('other evidence', () => {
  test('includes errors with their codes, but no retries', () => {
    const { errors } = observeEvents(codex.signals, [
      failedWith('ENGINE_RETRY', 'warning'),
      failedWith('ENGINE_RATE_LIMITED'),
      failedWith('ENGINE_RATE_LIMITED', 'warning'),
    ]);
    expect(errors).toMatchObject([
      {
        kind: 'error',
        code: 'ENGINE_RATE_LIMITED',
        detail: 'message of ENGINE_RATE_LIMITED',
        raw_ref: { byte_from: 1 },
      },
    ]);
  });

  test('does not count retries as the reason for the end', () => {
    const evidence = observeEvents(codex.signals, [phase('turn.started'), failedWith('ENGINE_RETRY', 'warning')]);
    expect(evidence.retry).toMatchObject({ kind: 'retry' });
    const recovered: Parameters<typeof observeEvents>[1] = [
      failedWith('ENGINE_RETRY', 'warning'),
      ['agent.message.delta', { message_id: '1', text: 'here' }],
    ];
    expect(observeEvents(codex.signals, recovered).retry).toBeNull();
    expect(endsAs(evidence).reason_code).toBe('ENGINE_ENDED_WITHOUT_TERMINAL_EVENT');
  });

  test('keeps the first errors and the last one', () => {
    const codes = Array.from({ length: 1000 }, (_, at) => `CODE_${at}`);
    const kept = observeEvents(
      codex.signals,
      codes.map((code) => failedWith(code)),
    ).errors.map(({ code }) => code);
    expect(kept).toHaveLength(50);
    expect([kept[0], kept[48], kept[49]]).toEqual(['CODE_0', 'CODE_48', 'CODE_999']);
  });

  test('keeps the beginning of a long error', () => {
    const message = 'x'.repeat(100_000);
    const { errors } = observeEvents(codex.signals, [
      ['diagnostic.engine.error', { code: 'ENGINE_ERROR', message, severity: 'error' }],
    ]);
    expect(errors[0]!.detail).toBe('x'.repeat(500));
  });

  test('includes the last message, and the latest session, model and usage', () => {
    const evidence = observeEvents(codex.signals, [
      ['lifecycle.run.status', { status: 'running', session_id: 'old', model: 'small', usage: { input_tokens: 1 } }],
      ['agent.message.final', { message_id: '1', text: 'First.' }],
      ['lifecycle.run.status', { status: 'running', session_id: 'new', usage: { input_tokens: 2 } }],
      ['agent.message.final', { message_id: '2', text: 'Which colour?' }],
      ['agent.message.final', { message_id: '3', text: ' \n' }],
      phase('turn.completed'),
    ]);
    expect(evidence).toMatchObject({
      lastMessage: 'Which colour?',
      sessionId: 'new',
      model: 'small',
      usage: { input_tokens: 2 },
    });
  });

  test('counts units that came from another log or were not understood', () => {
    const warning = (code: string): ['diagnostic.parser.warning', RaspData<'diagnostic.parser.warning'>] => [
      'diagnostic.parser.warning',
      { code, message: '', severity: 'warning' },
    ];
    const codes = [
      'PTY_FALLBACK_USED',
      'CHANNEL_DRIFT',
      'UNPARSED_CONTENT',
      'LOW_CONFIDENCE_PARSE',
      'UNPARSED_CONTENT',
    ];
    expect(observeEvents(codex.signals, codes.map(warning))).toMatchObject({ fallbacks: 2, unknown: 2 });
  });
});
