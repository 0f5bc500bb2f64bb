import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { iflow } from '../../src/engines/iflow/profile.ts';
import type { ByteRange, OutputStream, RaspDraft } from '../../src/protocol/index.ts';
import { analyzeCompletion } from '../../src/runs/completion/completion.ts';
import { EndObserver } from '../../src/runs/completion/end-evidence.ts';
import { exitOf, listFixtures, readFixtureLog } from '../support/fixtures.ts';
import { proofSize } from '../support/proof-size.ts';
import {
  type Chunk,
  checkDrafts,
  coveredBytes,
  parserContext,
  readChunks,
  readLogs,
  summarize,
  TIME,
} from './read-log.ts';

const parser = (more = {}) => iflow.parser.create(parserContext('iflow', more));
const fixtures = listFixtures().filter(({ engine }) => engine === 'iflow');
const logsOf = (folder: string) => ({
  stdout: readFixtureLog(folder, 'stdout')!,
  stderr: readFixtureLog(folder, 'stderr')!,
});
const fixture = (name: string) => logsOf(fixtures.find((one) => one.name === name)!.folder);
const program = fileURLToPath(new URL('../agents/print-iflow.mjs', import.meta.url));

const at = (stream: OutputStream, text: string, after: number): Chunk => ({
  stream,
  bytes: Buffer.from(text),
  time: TIME + after,
});
const info = (fields: Record<string, unknown> = {}) =>
  `<Execution Info>\n${JSON.stringify({ 'session-id': 'session-1', tokenUsage: { input: 1, output: 2, total: 3 }, ...fields })}\n</Execution Info>\n`;
const of = <T extends RaspDraft['event']['type']>(drafts: readonly RaspDraft[], type: T) =>
  drafts.filter(({ event }) => event.type === type) as RaspDraft<T>[];
const rawRanges = (drafts: readonly RaspDraft[]) => of(drafts, 'raw.stdout').map(({ raw_ref }) => raw_ref as ByteRange);
const rawText = (drafts: readonly RaspDraft[], stream: OutputStream) =>
  of(drafts, `raw.${stream}`)
    .map(({ data }) => data.text)
    .join('');
/** What drafts say, without the warning that goes with every uncertain one. */
const shown = (drafts: readonly RaspDraft[]) =>
  drafts
    .filter(({ data }) => (data as { code?: string }).code !== 'LOW_CONFIDENCE_PARSE')
    .map(({ event, data }) => {
      const { text, phase, code } = data as { text?: string; phase?: string; code?: string };
      return `${event.type} ${JSON.stringify(text ?? phase ?? code)}`;
    });

describe.each(fixtures)('iflow $name', ({ name, folder, expected }) => {
  const logs = logsOf(folder);
  const bytes = logs.stdout.length + logs.stderr.length;

  function check(drafts: readonly RaspDraft[]): void {
    checkDrafts(drafts);
    const { session_id, final_messages, reasoning, tools, errors, usage } = summarize(drafts);
    const { completion, coverage: _coverage, usage: tokens, warnings: _warnings, ...facts } = expected;
    expect({ session_id, final_messages, reasoning, tools, errors }).toEqual(facts);
    if (tokens === null) expect(usage).toBeNull();
    else expect(usage).toMatchObject(tokens);
    const observer = new EndObserver(iflow);
    observer.observe(drafts);
    for (const mode of ['auto', 'interactive'] as const) {
      const { state, reason_code } = analyzeCompletion({
        exit: { exit_code: exitOf(folder, 'split'), signal: null },
        endedByUs: null,
        terminalBy: iflow.terminalBy,
        mode,
        markerRequired: false,
        evidence: observer.evidence,
      });
      expect({ mode, state, reason_code }).toEqual({ mode, ...completion[mode] });
    }
  }

  test('gives the session, message, usage, errors and end that were expected', () => {
    const drafts = readLogs(parser(), logs);
    check(drafts);
    expect(summarize(drafts).warnings).toEqual(expected.warnings ?? []);
    expect(coveredBytes(drafts)).toBe(bytes);
  });

  test('says the same when stderr is read first', () => {
    const chunks = (['stderr', 'stdout'] as const).map((stream) => ({ stream, bytes: logs[stream], time: TIME }));
    check(readChunks(parser(), chunks));
  });

  test('says the same on one terminal', () => {
    const pty = onTerminal(logs.stdout, logs.stderr);
    const drafts = readLogs(parser(), { pty });
    check(drafts);
    expect(coveredBytes(drafts)).toBe(pty.length);
    expect(summarize(drafts).warnings).not.toContain('CHANNEL_DRIFT');
  });

  test('says it once when a merged log repeats the split ones', () => {
    const drafts = readLogs(parser({ mergedApart: true }), { ...logs, pty: onTerminal(logs.stdout, logs.stderr) });
    expect(drafts).toEqual(readLogs(parser(), logs));
  });

  test('is recovered from a merged log when the split ones are empty', () => {
    const drafts = readLogs(parser({ mergedApart: true }), { pty: onTerminal(logs.stdout, logs.stderr) });
    check(drafts);
    expect(summarize(drafts).warnings).toEqual(expect.arrayContaining(['PTY_FALLBACK_USED', 'PTY_STREAM_MISMATCH']));
  });

  test('is what the program prints today', () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, name]);
    expect({ stdout, stderr, status }).toEqual({ ...logs, status: exitOf(folder, 'split') });
  });
});

/** As `script` records it: a header, returns before line feeds, stderr behind stdout. */
function onTerminal(stdout: Buffer, stderr: Buffer): Buffer {
  const header = 'Script started on 2026-11-15 08:00:00+00:00 [COMMAND="iflow"]\n';
  return Buffer.from(`${header}${stdout}${stderr}`.replaceAll('\n', '\r\n'));
}

describe('iflow, while it runs', () => {
  test('says whole lines after a pause, and the message as a whole when the round is over', () => {
    const drafts = readChunks(parser(), [
      at('stdout', 'I look', 0),
      at('stdout', ' around.\nThen', 9000),
      at('stdout', ' I act.\n', 9400),
      at('stdout', 'Done.\n', 20_000),
      at('stderr', info(), 20_100),
    ]);
    expect(shown(drafts)).toEqual([
      'agent.message.delta "I look around.\\nThen I act.\\n"',
      'lifecycle.run.status "session-id"',
      'agent.message.final "I look around.\\nThen I act.\\nDone."',
      'lifecycle.run.status "execution_info"',
    ]);
    expect(drafts[0]).toMatchObject({
      ts: new Date(TIME + 9400).toISOString(),
      source: { confidence: 0.6 },
      data: { message_id: '1.stdout.0' },
      raw_ref: { stream: 'stdout', byte_from: 0, byte_to: 27 },
    });
  });

  test('says lines that never pause after two seconds', () => {
    const chunks = Array.from({ length: 30 }, (_, index) => at('stdout', `line ${index}\n`, index * 100));
    const live = parser();
    const before = chunks.flatMap(({ stream, bytes, time }) => live.push(stream, bytes, time));
    expect(of(before, 'agent.message.delta')).toHaveLength(1);
  });

  test('does not wait for the process when the execution info has come', () => {
    const live = parser();
    live.push('stdout', Buffer.from('All is well'), TIME);
    live.push('stderr', Buffer.from(info()), TIME + 10);
    expect(live.tick(TIME + 500)).toEqual([]);
    expect(shown(live.tick(TIME + 511))).toEqual([
      'agent.message.final "All is well"',
      'lifecycle.run.status "execution_info"',
    ]);
    expect(live.end({ exit_code: 0, signal: null, time: TIME + 600 })).toEqual([]);
  });

  test('does not cut a message in two because the execution info was read before its end', () => {
    const drafts = readChunks(parser(), [
      at('stdout', 'Result: {"a": 1, "__SKILL', 0),
      at('stderr', info(), 1),
      at('stdout', '_DONE__": true}\n', 2),
    ]);
    expect(summarize(drafts).final_messages).toEqual(['Result: {"a": 1, "__SKILL_DONE__": true}']);
  });

  test('begins a new message with what comes long after the execution info', () => {
    const drafts = readChunks(parser(), [
      at('stdout', 'one\n', 0),
      at('stderr', info(), 1),
      at('stdout', 'two\n', 3000),
    ]);
    expect(summarize(drafts).final_messages).toEqual(['one', 'two']);
  });
});

describe('iflow, how sure it is', () => {
  const confidences = (logs: Parameters<typeof readLogs>[1]) =>
    of(readLogs(parser(), logs), 'agent.message.final').map(({ source }) => source.confidence);

  test('of prose less than of JSON, and of prose on stderr least', () => {
    expect(confidences({ stdout: 'Some words.\n' })).toEqual([0.6]);
    expect(confidences({ stderr: 'Some words.\n' })).toEqual([0.5]);
    expect(confidences({ stdout: 'It is done{"ok":true}\n' })).toEqual([0.8]);
    expect(confidences({ stderr: '```\n{"ok":true}\n```\nSo it is.\n' })).toEqual([0.8]);
  });

  test('finds JSON with prose on both sides', () => {
    const text = 'Written to the folder{"path": {"name": "x"}}\nThat is {all}.\n';
    const [final] = of(readLogs(parser(), { stdout: text }), 'agent.message.final');
    expect(final!.data.structured_payload).toEqual({ path: { name: 'x' } });
  });

  test('marks every reading below 0.7, and no other', () => {
    const drafts = readLogs(parser(), { stdout: 'Some words.\n', stderr: info() });
    const readings = drafts.filter(({ event }) => event.category !== 'diagnostic');
    const uncertain = readings.filter(({ source }) => source.confidence < 0.7);
    const marks = of(drafts, 'diagnostic.parser.warning').filter(({ data }) => data.code === 'LOW_CONFIDENCE_PARSE');
    expect(uncertain.map(({ event }) => event.type)).toEqual(['agent.message.final']);
    expect(marks.map(({ data, raw_ref }) => [data.confidence, raw_ref])).toEqual([[0.6, uncertain[0]!.raw_ref]]);
  });
});

describe('iflow, on unusual streams', () => {
  const drifts = (logs: Parameters<typeof readLogs>[1]) =>
    of(readLogs(parser(), logs), 'diagnostic.parser.warning')
      .filter(({ data }) => data.code === 'CHANNEL_DRIFT')
      .map(({ data }) => data.what);

  test('reports a message on stderr and execution info on stdout, once each', () => {
    expect(drifts(fixture('auto'))).toEqual([]);
    expect(drifts(fixture('resumed'))).toEqual(['message']);
    expect(drifts(fixture('info-on-stdout'))).toEqual(['execution_info']);
    expect(drifts({ stdout: info() + info(), stderr: 'One.\n[WARN] two\nThree.\n' })).toEqual([
      'execution_info',
      'message',
    ]);
  });

  test('keeps logs, stack traces and pictures out of messages', () => {
    const stdout =
      'One.\n[WARN] slow disk\nTypeError: x is undefined\n    at run (a.js:1:2) {\n  code: 7\n}\nTwo.\n\0\u0001\n';
    const stderr = '(node:12) Warning: old\nError executing tool ls: no such tool\n';
    const drafts = readLogs(parser(), { stdout, stderr });
    expect(summarize(drafts).final_messages).toEqual(['One.\nTwo.']);
    expect(rawText(drafts, 'stdout')).toBe(stdout.replace('One.\n', '').replace('Two.\n', ''));
    expect(rawText(drafts, 'stderr')).toBe(stderr);
    expect(summarize(drafts).errors).toEqual(['ENGINE_ERROR']);
  });

  test('leaves a stack trace in a message that quotes it between fences', () => {
    const stdout = 'It says:\n```\nError: SERVER_OAUTH2_REQUIRED\n    at run (a.js:1:2)\n```\nSign in.\n';
    const drafts = readLogs(parser(), { stdout });
    expect(summarize(drafts)).toMatchObject({ final_messages: [stdout.trim()], errors: [] });
  });

  test('makes no message of a failed login, and all of one that was begun before', () => {
    const { stdout } = fixture('auth');
    const failed = readLogs(parser(), { stdout }, 1);
    expect(of(failed, 'agent.message.delta')).toEqual([]);
    expect(rawText(failed, 'stdout')).toBe(stdout.toString());
    const begun = readLogs(parser(), { stdout: `It is made {"__SKILL_DONE__": true}\n${stdout}` }, 1);
    expect(summarize(begun)).toMatchObject({
      final_messages: ['It is made {"__SKILL_DONE__": true}'],
      errors: ['ENGINE_AUTH_REQUIRED'],
    });
  });
});

describe('iflow execution info', () => {
  test('that is only spoken of is prose', () => {
    const stdout = 'It prints <Execution Info> and\n<Execution Info>\nthen </Execution Info>, I think.\n';
    const drafts = readLogs(parser(), { stdout });
    expect(summarize(drafts)).toMatchObject({ session_id: null, final_messages: [stdout.trim()] });
  });

  test.each([
    ['with a new field', info({ mood: 'good' }), 'unknown fields', 'session-1', true],
    ['with a new kind of token', info({ tokenUsage: { input: 1, thought: 2 } }), 'unknown fields', 'session-1', true],
    ['without a session', info({ 'session-id': 7 }), 'unexpected shape', null, true],
    ['whose session could be a flag', info({ 'session-id': '--help' }), 'unexpected shape', null, true],
    ['with other output inside', info().replace(',', ',\nwarning!\n'), 'unexpected shape', 'session-1', true],
    ['that is cut off', info().slice(0, -20), 'unexpected shape', 'session-1', false],
    ['of nonsense', '<Execution Info>\n{ none }\n</Execution Info>\n', 'unexpected shape', null, false],
  ])(
    '%s is reported, read as far as it goes, and kept as raw unless all of it was read',
    (_, stderr, problem, session, terminal) => {
      const drafts = readLogs(parser(), { stderr });
      checkDrafts(drafts);
      expect(rawText(drafts, 'stderr')).toBe(problem === 'unknown fields' ? '' : stderr);
      expect(of(drafts, 'diagnostic.parser.warning').map(({ data }) => data)).toMatchObject([
        { code: 'UNPARSED_CONTENT', problem },
      ]);
      const phases = of(drafts, 'lifecycle.run.status').map(({ data }) => data.phase);
      expect(summarize(drafts).session_id).toBe(session);
      expect(phases.includes('execution_info')).toBe(terminal);
    },
  );

  test('tells rounds, time and conversation in the engine’s words, and why it stopped early', () => {
    const stderr = info({
      'conversation-id': 'c1',
      assistantRounds: 3,
      executionTimeMs: 40,
      terminationReason: 'max_turns_exceeded',
    });
    const drafts = readLogs(parser(), { stderr });
    expect(drafts.at(-1)).toMatchObject({
      data: { usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3, assistantRounds: 3, executionTimeMs: 40 } },
      correlation: { session_id: 'session-1', conversation_id: 'c1' },
    });
    expect(of(drafts, 'diagnostic.engine.error').map(({ data }) => data)).toMatchObject([
      { code: 'ENGINE_ERROR', reason: 'max_turns_exceeded' },
    ]);
  });
});

describe('iflow, on long texts', () => {
  test('says at most 64 KiB at once', () => {
    const stdout = `${'é'.repeat(100_000)}\n${'word\n'.repeat(30_000)}`;
    const drafts = readLogs(parser(), { stdout });
    const deltas = of(drafts, 'agent.message.delta').map(({ data }) => data.text);
    expect(deltas.every((text) => Buffer.byteLength(text) <= 65_536)).toBe(true);
    expect(summarize(drafts).final_messages).toEqual([stdout.trim()]);
    expect(deltas.join('').trim()).toBe(stdout.trim());
  });

  test.each([
    ['lines', 'a line of words\n'],
    ['one line', '€'],
  ])('keeps what a message of 1 MiB has no room for as raw (%s)', (_, part) => {
    const stdout = part.repeat(Math.ceil(3_000_000 / Buffer.byteLength(part)));
    const drafts = readLogs(parser(), { stdout, stderr: info() });
    const [message] = summarize(drafts).final_messages;
    expect(Buffer.byteLength(message!)).toBeGreaterThan(1_048_576 - 20);
    expect(Buffer.byteLength(message!)).toBeLessThanOrEqual(1_048_576);
    expect(stdout.startsWith(message!)).toBe(true);
    const kept = rawRanges(drafts).map(({ byte_from, byte_to }) => Buffer.from(stdout).subarray(byte_from, byte_to));
    expect(Buffer.concat(kept).toString().trimStart() === stdout.slice(message!.length).trimStart()).toBe(true);
    expect(summarize(drafts).warnings).toContain('UNPARSED_CONTENT');
    expect(coveredBytes(drafts)).toBe(Buffer.byteLength(stdout) + info().length);
  });
});

describe('iflow, whatever comes', () => {
  const words = fc.constantFrom(
    'Hello',
    ' ',
    '\n',
    '\n\n',
    '\r\n',
    'é😀',
    '{"a":1}',
    '```',
    '```json\n',
    '<Execution Info>',
    '</Execution Info>',
    info(),
    info({ extra: 1 }),
    '{',
    '}',
    'ℹ️  Resuming session session-9 (1 messages loaded)\n',
    'ℹ️  Resuming session\n',
    'Error: no\n',
    '    at run (a.js:1:2)\n',
    'Error: SERVER_OAUTH2_REQUIRED: x\n',
    '[WARN] w\n',
    '\u001b[2m',
    '\u001b]0;t\u0007',
    '\0',
    '\u2028',
  );
  const piece = fc.oneof(
    { weight: 9, arbitrary: fc.array(words, { maxLength: 6 }).map((list) => Buffer.from(list.join(''))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.nat({ max: 90_000 }).map((size) => Buffer.from('wörd '.repeat(size / 6))) },
  );
  const wait = fc.constantFrom(0, 0, 1, 50, 499, 500, 501, 2001);
  const stream = fc.constantFrom('stdout' as const, 'stderr' as const, 'pty' as const);
  const runs = fc
    .oneof(
      fc.array(fc.tuple(stream, piece, wait), { maxLength: 14 }),
      fc.constantFrom(...fixtures).map(({ folder }): [OutputStream, Buffer, number][] => {
        const { stdout, stderr } = logsOf(folder);
        const half = stdout.length >> 1;
        return [
          ['stdout', stdout.subarray(0, half), 700],
          ['stderr', stderr, 3],
          ['stdout', stdout.subarray(half), 200],
        ];
      }),
    )
    .map((steps) => {
      let time = TIME;
      return steps.map(([name, bytes, after]): Chunk => {
        time += after;
        return { stream: name, bytes, time };
      });
    });

  test('the same bytes at the same times give the same events, however they are cut and whenever the clock ticks', () => {
    fc.assert(
      fc.property(runs, fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), (chunks, chances) => {
        let next = 0;
        const chance = (below: number) => chances[next++ % chances.length]! % below;
        const live = parser();
        const drafts: RaspDraft[] = [];
        let last = TIME;
        for (const { stream, bytes, time } of chunks) {
          if (chance(2)) drafts.push(...live.tick(last + ((time - last) * chance(101)) / 100));
          const cuts = Array.from({ length: chance(4) }, () => chance(bytes.length + 1)).sort((a, b) => a - b);
          [0, ...cuts].forEach((from, index) => {
            drafts.push(...live.push(stream, bytes.subarray(from, cuts[index] ?? bytes.length), time));
          });
          last = time;
        }
        if (chance(2)) drafts.push(...live.tick(last + chance(5000)));
        drafts.push(...live.end({ exit_code: 0, signal: null, time: last }));
        expect(drafts).toEqual(readChunks(parser(), chunks));
      }),
      { numRuns: proofSize({ small: 25, full: 300 }) },
    );
  });

  test.each([
    ['a tag that turns out to be prose', '<Execution Info>\n', 'is what it prints\nat the end\n'],
    ['a line that turns out to be too long', 'x'.repeat(1_048_576), 'y\nz\n'],
    ['lines that turn out to be an error', 'Error: no\n', '    at run (a.js:1:2)\n    at go (a.js:3:4)\n'],
  ])('%s is not told between two pieces of one chunk because it is old', (_, held, rest) => {
    const half = rest.indexOf('\n') + 1;
    const whole = readChunks(parser(), [at('stdout', held, 0), at('stdout', rest, 400)]);
    const cut = [at('stdout', held, 0), at('stdout', rest.slice(0, half), 400), at('stdout', rest.slice(half), 400)];
    expect(readChunks(parser(), cut)).toEqual(whole);
    const late = (chunks: Chunk[]) => chunks.map((chunk, index) => (index ? { ...chunk, time: TIME + 3000 } : chunk));
    const wholeLate = late([at('stdout', held, 0), at('stdout', rest, 0)]);
    expect(readChunks(parser(), late(cut))).toEqual(readChunks(parser(), wholeLate));
  });

  test('every byte is in a unit, and no unit is both prose and raw', () => {
    fc.assert(
      fc.property(runs, (chunks) => {
        const drafts = readChunks(parser(), chunks);
        checkDrafts(drafts);
        expect(coveredBytes(drafts)).toBe(chunks.reduce((sum, { bytes }) => sum + bytes.length, 0));
        checkUnits(drafts);
      }),
      { numRuns: proofSize({ small: 25, full: 300 }) },
    );
  });

  test('changed bytes in any place break nothing', () => {
    const logs = fixtures.flatMap(({ folder }) => Object.values(logsOf(folder))).filter(({ length }) => length > 0);
    const log = fc.constantFrom(...logs);
    const change = fc.record({ kind: fc.nat(5), from: fc.nat(), length: fc.nat(60), byte: fc.nat(255), other: log });
    fc.assert(
      fc.property(log, fc.array(change, { minLength: 1, maxLength: 4 }), stream, (original, changes, name) => {
        const bytes = changes.reduce(mutate, original);
        const drafts = readChunks(parser(), [{ stream: name, bytes, time: TIME }]);
        checkDrafts(drafts);
        expect(coveredBytes(drafts)).toBe(bytes.length);
        checkUnits(drafts);
      }),
      { numRuns: proofSize({ small: 500, full: 2000 }) },
    );
  });
});

interface Change {
  kind: number;
  from: number;
  length: number;
  byte: number;
  other: Buffer;
}

function mutate(bytes: Buffer, { kind, from, length, byte, other }: Change): Buffer {
  const at = bytes.length === 0 ? 0 : from % bytes.length;
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(at + length);
  switch (kind) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return Buffer.concat([before, bytes.subarray(at, at + length), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([before, Buffer.of(byte), bytes.subarray(at + 1)]);
    case 3:
      return before;
    case 4:
      return Buffer.concat([before, other.subarray(from % other.length)]);
    default:
      return Buffer.from(
        bytes.toString('latin1').replace(/"[^"\n]*"|\d+/, () => ['7', 'null', '[]', '"x"'][byte % 4]!),
        'latin1',
      );
  }
}

/** Ranges of raw events never overlap; those of messages neither, but for the final that repeats its deltas. */
function checkUnits(drafts: readonly RaspDraft[]): void {
  const rangesOf = (type: RegExp) =>
    drafts.filter(({ event }) => type.test(event.type)).flatMap(({ raw_ref }) => raw_ref as ByteRange | ByteRange[]);
  expectApart(rangesOf(/^raw\.|^agent\.message\.delta$/));
  expectApart(rangesOf(/^raw\.|^agent\.message\.final$/));
}

function expectApart(ranges: ByteRange[]): void {
  ranges.sort((one, other) => one.stream.localeCompare(other.stream) || one.byte_from - other.byte_from);
  ranges.forEach((range, index) => {
    const next = ranges[index + 1];
    if (next?.stream === range.stream) expect(next.byte_from).toBeGreaterThanOrEqual(range.byte_to);
  });
}
