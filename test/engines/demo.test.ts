import { describe, expect, test } from 'vitest';
import { createDemoParser } from '../../src/engines/demo/parser.ts';
import { demo } from '../../src/engines/demo/profile.ts';
import type { RaspDraft } from '../../src/protocol/index.ts';
import { listFixtures, readFixtureLog } from '../support/fixtures.ts';
import { parserContext, readChunks, readLogs, summarize, TIME } from './read-log.ts';
import { describeLaws, lines } from './stream-json-laws.ts';

const parser = () => createDemoParser(parserContext('demo'));
const dataOf = (drafts: readonly RaspDraft[], type: string) =>
  drafts.filter(({ event }) => event.type === type).map(({ data }) => data as Record<string, unknown>);
const read = (...events: unknown[]) => readLogs(parser(), { stdout: lines(...events) });
const capture = (name: string) => {
  const { folder } = listFixtures().find((fixture) => fixture.engine === 'demo' && fixture.name === name)!;
  return readLogs(parser(), { stdout: readFixtureLog(folder, 'stdout'), stderr: readFixtureLog(folder, 'stderr') });
};

describeLaws('demo', createDemoParser);

describe('the demo agent', () => {
  test('shows its plan as it goes on', () => {
    const plans = dataOf(capture('ask-turn1'), 'agent.plan.updated').map(({ items }) =>
      (items as { status: string }[]).map(({ status }) => status),
    );
    expect(plans).toEqual([
      ['in_progress', 'pending', 'pending', 'pending'],
      ['completed', 'in_progress', 'pending', 'pending'],
      ['completed', 'completed', 'in_progress', 'pending'],
      ['completed', 'completed', 'completed', 'in_progress'],
    ]);
  });

  test('has calls that know what they were called with, how they ended and how long they took', () => {
    const drafts = capture('ask-turn1');
    expect(dataOf(drafts, 'tool.call.failed')).toEqual([
      {
        call_id: '1.t3',
        name: 'run',
        kind: 'command',
        arguments: { command: ['grep', '-n', '^Total:', 'tacho-demo-report.md'] },
        result: '',
        exit_code: 1,
        duration_ms: expect.any(Number),
      },
    ]);
    expect(dataOf(drafts, 'tool.call.completed').at(-1)).toMatchObject({ result: '7:Total: 3\n', exit_code: 0 });
  });

  test('streams what it says; the pieces make up the whole', () => {
    const drafts = capture('ask-turn1');
    const said = new Map<unknown, string>();
    for (const { message_id, text } of dataOf(drafts, 'agent.message.delta')) {
      said.set(message_id, (said.get(message_id) ?? '') + text);
    }
    expect([...said]).toEqual(dataOf(drafts, 'agent.message.final').map(({ message_id, text }) => [message_id, text]));
  });

  test('asks for an approval, and says what was decided', () => {
    const drafts = capture('approved');
    const [requested] = dataOf(drafts, 'interaction.approval.requested');
    const [decided] = dataOf(drafts, 'interaction.approval.decided');
    expect(requested).toMatchObject({ summary: 'delete tacho-demo-old.txt', command: ['rm', 'tacho-demo-old.txt'] });
    expect(decided).toEqual({ approval_id: requested!.approval_id, decision: 'approved' });
  });

  test('says why a turn ended, in phases its profile knows', () => {
    const phaseOf = (name: string) => dataOf(capture(name), 'lifecycle.run.status').at(-1)!.phase;
    expect(demo.signals.terminal).toContain(phaseOf('ask-turn1'));
    expect(demo.signals.terminal).toContain(phaseOf('ask-turn2'));
    expect(demo.signals.terminal).not.toContain(phaseOf('suspended'));
    expect(demo.signals.failed).toContain(phaseOf('fail'));
  });
});

describe('what is not as it should be', () => {
  test('an unknown event is kept as raw; an unknown field is reported by a warning alone', () => {
    const drafts = read(
      { type: 'dance' },
      { type: 'turn_started', turn: 1, mood: 'good' },
      { type: 'thinking', id: 'm1' },
    );
    expect(dataOf(drafts, 'diagnostic.parser.warning')).toMatchObject([
      { event_type: 'dance', problem: 'unknown type' },
      { event_type: 'turn_started', problem: 'unknown fields', fields: ['mood'] },
      { event_type: 'thinking', problem: 'unexpected shape' },
    ]);
    expect(dataOf(drafts, 'raw.stdout').map(({ lines }) => lines)).toEqual([1, 1]);
  });

  test('a session of another format is not taken for one', () => {
    const drafts = read({ type: 'session', format: 'tacho-demo/2', session_id: 'demo-1', script: 'x', resumed: false });
    expect(summarize(drafts)).toMatchObject({ session_id: null, warnings: ['UNPARSED_CONTENT'] });
  });

  test('a call that only ends gets a start of its own', () => {
    const drafts = read({ type: 'tool_finished', id: 't1', name: 'run', ok: true, result: '', duration_ms: 1 });
    expect(drafts.map(({ event }) => event.type)).toEqual(['tool.call.started', 'tool.call.completed']);
  });

  test('pieces of a message that never ends are told all the same', () => {
    const drafts = read(
      { type: 'message_delta', id: 'm1', text: 'half a' },
      { type: 'message_delta', id: 'm1', text: ' word' },
    );
    expect(dataOf(drafts, 'agent.message.delta')).toEqual([{ message_id: '1.m1', text: 'half a word' }]);
  });

  test('events that only the merged log holds are recovered where they stand', () => {
    const { folder } = listFixtures().find(({ engine, name }) => engine === 'demo' && name === 'ask-turn2')!;
    const all = readFixtureLog(folder, 'stdout')!
      .toString()
      .split(/(?<=\n)/);
    const without = all.filter((line) => !line.startsWith('{"type":"message"')).join('');
    const apart = createDemoParser(parserContext('demo', { mergedApart: true }));
    const drafts = readLogs(apart, { stdout: without, pty: all.join('').replaceAll('\n', '\r\n') });
    expect(summarize(drafts)).toMatchObject({
      final_messages: [expect.stringContaining('Odds and ends')],
      warnings: ['PTY_FALLBACK_USED', 'PTY_STREAM_MISMATCH'],
    });
  });
});

test('pieces within a tenth of a second become one event', () => {
  const pieces = ['a', 'b', 'c', 'd'].map((text, index) => ({
    stream: 'stdout' as const,
    bytes: Buffer.from(lines({ type: 'message_delta', id: 'm1', text })),
    time: TIME + index * 60,
  }));
  expect(dataOf(readChunks(parser(), pieces), 'agent.message.delta').map(({ text }) => text)).toEqual(['ab', 'cd']);
});

test('every prompt arrives as it is, also one that looks like an option', () => {
  expect(demo.start).toContain('--prompt={prompt}');
  expect(demo.resume).toContain('--prompt={prompt}');
});
