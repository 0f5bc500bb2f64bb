import { describe, expect, test } from 'vitest';
import { findEngine, readingSessions } from '../../../src/engines/index.ts';
import type { RaspData, RaspDraft } from '../../../src/protocol/index.ts';
import { analyzeCompletion } from '../../../src/runs/completion/completion.ts';
import { EndObserver } from '../../../src/runs/completion/end-evidence.ts';
import { damageLines, seededRandom } from '../../support/damage-lines.ts';
import { listSessionFixtures, type SessionFixture } from '../../support/session-fixtures.ts';
import { checkDrafts, coveredBytes, parserContext, readChunks, summarize, TIME } from '../read-log.ts';

const open = ({ engine, format }: SessionFixture) => format.parser.create(parserContext(engine));
const read = (fixture: SessionFixture, bytes = fixture.bytes) =>
  readChunks(open(fixture), [{ stream: 'stdout', bytes, time: TIME }]);

function prompts(drafts: readonly RaspDraft[]): string[] {
  return drafts
    .filter(({ event }) => event.type === 'interaction.reply.accepted')
    .map(({ data }) => (data as RaspData<'interaction.reply.accepted'>).text);
}

describe.each(listSessionFixtures())('$engine $name', (fixture) => {
  const { engine, format, expected, bytes } = fixture;

  test('gives the prompts, messages, thoughts, calls, usage and errors of the session', () => {
    const drafts = read(fixture);
    checkDrafts(drafts);
    const { session_id, final_messages, reasoning, tools, started, errors, usage, warnings } = summarize(drafts);
    expect({ session_id, final_messages, reasoning, tools, errors, prompts: prompts(drafts) }).toEqual({
      session_id: expected.session_id,
      final_messages: expected.final_messages,
      reasoning: expected.reasoning,
      tools: expected.tools,
      errors: expected.errors,
      prompts: expected.prompts,
    });
    expect(started).toBe(tools.length);
    expect(warnings).toEqual([]);
    if (expected.usage === null) expect(usage).toBeNull();
    else expect(usage).toMatchObject(expected.usage);
    expect(coveredBytes(drafts)).toBe(bytes.length);
  });

  test('has the times of its entries, in order', () => {
    const times = read(fixture).map(({ ts }) => ts);
    expect([times[0], times.at(-1)]).toEqual([expected.first_time, expected.last_time]);
    expect(times).toEqual(times.toSorted());
  });

  test('shows how its last turn ended', () => {
    const profile = readingSessions(findEngine(engine)!, format);
    const observer = new EndObserver(profile);
    observer.observe(read(fixture));
    const { state, reason_code } = analyzeCompletion({
      exit: { exit_code: null, signal: null },
      exitUnknown: true,
      endedByUs: null,
      terminalBy: profile.terminalBy,
      mode: 'auto',
      markerRequired: false,
      evidence: observer.evidence,
    });
    expect([state, reason_code]).toEqual(expected.completion);
    expect(observer.evidence).toMatchObject({ sessionId: expected.session_id, model: expected.model });
  });

  test('gives the same events however its bytes are cut and whenever they are read', () => {
    const whole = read(fixture);
    const random = seededRandom(bytes.length);
    const chunks = [];
    for (let at = 0; at < bytes.length; ) {
      const to = Math.min(bytes.length, at + 1 + Math.floor(random() * 3000));
      chunks.push({ stream: 'stdout' as const, bytes: bytes.subarray(at, to), time: TIME + at });
      at = to;
    }
    expect(readChunks(open(fixture), chunks)).toEqual(whole);
  });

  test('is recognized by one of its first ten entries, which name the session and its folder', () => {
    const entries = bytes
      .toString()
      .split('\n')
      .slice(0, 10)
      .map((line) => JSON.parse(line || '{}') as Record<string, unknown>);
    expect(entries.some((entry) => format.recognizes(entry))).toBe(true);
    const about = Object.assign({}, ...entries.map((entry) => format.aboutSession(entry))) as object;
    expect(about).toEqual({ id: expected.session_id, cwd: '/home/user/work' });
  });

  test('loses no byte of damaged entries, and throws at none', () => {
    const random = seededRandom(bytes.length * 7919);
    const lines = bytes
      .toString()
      .split(/(?<=\n)/)
      .map((line) => ({ stream: 'stdout' as const, bytes: Buffer.from(line) }));
    const parser = open(fixture);
    const drafts: RaspDraft[] = [];
    let size = 0;
    for (let count = 0; count < 60; count++) {
      const damaged = damageLines(lines, random);
      drafts.push(...parser.push('stdout', damaged.bytes, TIME));
      size += damaged.bytes.length;
    }
    drafts.push(...parser.end({ exit_code: null, signal: null, time: TIME }));
    checkDrafts(drafts);
    expect(coveredBytes(drafts)).toBe(size);
  });
});
