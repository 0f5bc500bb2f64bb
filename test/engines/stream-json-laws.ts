import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OutputStream, Parser, ParserContext } from '../../src/protocol/index.ts';
import { listFixtures, readFixtureLog } from '../support/fixtures.ts';
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

type Create = (context: ParserContext) => Parser;

export const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

/** What has to hold for every engine that prints this envelope, shown on the captures of one. */
export function describeLaws(engine: string, create: Create): void {
  const captures = listFixtures().filter((fixture) => fixture.engine === engine);
  const parser = () => create(parserContext(engine));

  describe.each(captures)('the capture $name', ({ folder, expected }) => {
    const { session_id, final_messages, reasoning, tools, errors, warnings = [] } = expected;

    test('gives the session, messages, tools, usage and errors that were expected', () => {
      const logs = { stdout: readFixtureLog(folder, 'stdout'), stderr: readFixtureLog(folder, 'stderr') };
      const drafts = readLogs(parser(), logs);
      checkDrafts(drafts);
      const found = summarize(drafts);
      expect(found).toMatchObject({ session_id, final_messages, reasoning, tools, errors, warnings });
      expect(found.started).toBe(tools.length);
      if (expected.usage === null) expect(found.usage).toBeNull();
      else expect(found.usage).toMatchObject(expected.usage);
      expect(coveredBytes(drafts)).toBe((logs.stdout?.length ?? 0) + (logs.stderr?.length ?? 0));
    });

    test('says the same when only a merged log was kept', () => {
      const pty = readFixtureLog(folder, 'pty');
      if (!pty) {
        expect(expected.pty).toBeUndefined();
        return;
      }
      const drafts = readLogs(parser(), { pty });
      checkDrafts(drafts);
      expect(summarize(drafts)).toMatchObject({ ...expected.pty, final_messages, reasoning, tools, errors });
      expect(coveredBytes(drafts)).toBe(pty.length);
    });
  });

  test('how the bytes are cut makes no difference', () => {
    const logs = captures.map(({ folder }) => ({
      stdout: readFixtureLog(folder, 'stdout')!,
      stderr: readFixtureLog(folder, 'stderr')!,
    }));
    const run = fc.record({
      log: fc.constantFrom(...logs),
      pauses: fc.array(fc.nat(1500), { minLength: 1, maxLength: 20 }),
      coarse: fc.infiniteStream(fc.integer({ min: 1, max: 4000 })),
      fine: fc.infiniteStream(fc.integer({ min: 1, max: 700 })),
    });
    fc.assert(
      fc.property(run, ({ log, pauses, coarse, fine }) => {
        let time = TIME;
        let count = 0;
        const chunks = (['stderr', 'stdout'] as const).flatMap((stream) =>
          cut(stream, log[stream], coarse).map((chunk) => {
            time += pauses[count++ % pauses.length]!;
            return { ...chunk, time };
          }),
        );
        const finer = chunks.flatMap((chunk) => cut(chunk.stream, chunk.bytes, fine, chunk.time));
        expect(readChunks(parser(), finer)).toEqual(readChunks(parser(), chunks));
      }),
      { numRuns: proofSize({ small: 15, full: 60 }) },
    );
  });

  test('damaged lines are never lost and never harm', () => {
    const kept = captures.map(({ folder }) => readFixtureLog(folder, 'stdout')!).filter(({ length }) => length > 0);
    const run = fc.record({ log: fc.constantFrom(...kept), damages: fc.array(damage, { minLength: 1, maxLength: 4 }) });
    fc.assert(
      fc.property(run, ({ log, damages }) => {
        const all = log.toString('latin1').split(/(?<=\n)/);
        for (const change of damages) change(all);
        const stdout = Buffer.from(all.join(''), 'latin1');
        const drafts = readChunks(parser(), [{ stream: 'stdout', bytes: stdout, time: TIME }]);
        checkDrafts(drafts);
        expect(coveredBytes(drafts)).toBe(stdout.length);
      }),
      { numRuns: proofSize({ small: 500, full: 2000 }) },
    );
  });
}

function cut(stream: OutputStream, bytes: Uint8Array, sizes: Iterator<number>, time = TIME): Chunk[] {
  const chunks: Chunk[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + sizes.next().value!);
    chunks.push({ stream, bytes: bytes.subarray(from, to), time });
    from = to;
  }
  return chunks;
}

type Damage = (all: string[]) => void;

const ODD_VALUES: readonly unknown[] = [null, true, 0, -1, 1e300, '', 'x', [], {}, [[]], [null], { type: 'text' }];

/** One way to damage some lines of a log. */
const damage: fc.Arbitrary<Damage> = fc
  .record({
    line: fc.nat(),
    other: fc.nat(),
    place: fc.nat(),
    byte: fc.nat(255),
    value: fc.oneof(fc.constantFrom(...ODD_VALUES), fc.jsonValue()),
    kind: fc.constantFrom('drop', 'repeat', 'flip', 'cut', 'splice', 'value', 'value', 'remove'),
  })
  .map(({ line, other, place, byte, value, kind }) => (all: string[]) => {
    if (all.length === 0) return;
    const at = line % all.length;
    const text = all[at]!;
    const middle = place % text.length;
    if (kind === 'drop') all.splice(at, 1);
    else if (kind === 'repeat') all.splice(at, 0, text);
    else if (kind === 'flip') all[at] = text.slice(0, middle) + String.fromCharCode(byte) + text.slice(middle + 1);
    else if (kind === 'cut') all[at] = text.slice(0, middle) || text;
    else if (kind === 'splice') all[at] = text.slice(0, middle) + all[other % all.length]!;
    else all[at] = changed(text, place, kind === 'remove' ? undefined : value);
  });

/** The line with one of its values changed, wherever in it; the line itself when it is no JSON any more. */
function changed(text: string, place: number, value: unknown): string {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    return text; // Damaged before.
  }
  const places: [Record<string, unknown>, string][] = [];
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key]);
      visit((node as Record<string, unknown>)[key]);
    }
  };
  visit(event);
  if (places.length === 0) return text;
  const [holder, key] = places[place % places.length]!;
  if (value === undefined) delete holder[key];
  else holder[key] = value;
  return Buffer.from(`${JSON.stringify(event)}\n`).toString('latin1');
}
