import { describe, expect, test } from 'vitest';
import { engineOf } from '../../src/engines/index.ts';
import { createEventWriter, type EventJson } from '../../src/journal/event-json.ts';
import { keepPrinted, RASP_VERSION, type RaspDraft } from '../../src/protocol/index.ts';
import { parserContext, readLogs } from '../engines/read-log.ts';
import { listGoldenCases } from '../support/golden-cases.ts';

const RUN = '20261115T080000-text-3f2a9c1b';
const draft = (data: object) =>
  ({
    ts: '2026-11-15T08:00:00.000Z',
    attempt_number: 1,
    source: { engine: 'codex', parser: 'codex_ndjson', stream: 'stdout', confidence: 0.95 },
    event: { category: 'tool', type: 'tool.call.completed' },
    data,
    correlation: {},
    raw_ref: null,
  }) as unknown as RaspDraft;

const joined = ({ before, printed, after }: EventJson) => before + printed + after;

describe('the JSON of an event', () => {
  test.each(listGoldenCases())('is that of JSON.stringify, of all events of $engine $name', (golden) => {
    const { parser } = engineOf(golden.engine);
    const drafts = readLogs(parser.create(parserContext(golden.engine)), golden);
    const writer = createEventWriter(RUN);
    drafts.forEach((made, index) => {
      const seq = index + 1;
      // A long text may be spelled as the engine spelled it.
      const written = JSON.stringify(JSON.parse(joined(writer.json(made, seq))));
      expect(written).toBe(JSON.stringify({ protocol_version: RASP_VERSION, run_id: RUN, seq, ...made }));
    });
  });

  test('has a printed text as it was printed, at its place among the others', () => {
    const data = { call_id: '1', name: undefined, result: 'a/b', exit_code: 0 };
    keepPrinted(data, { member: 'result', json: '"a\\/b"' });
    expect(joined(createEventWriter(RUN).json(draft(data), 7))).toContain(
      '"data":{"call_id":"1","result":"a\\/b","exit_code":0},"correlation":{},"raw_ref":null}',
    );
  });

  test('tells sources that follow each other apart', () => {
    const writer = createEventWriter(RUN);
    const other = { ...draft({}), source: { engine: 'codex', parser: 'tacho', stream: null, confidence: 1 } };
    const sources = [draft({}), other as RaspDraft, draft({})].map(
      (made) => JSON.parse(joined(writer.json(made, 1))).source,
    );
    expect(sources).toEqual([draft({}).source, other.source, draft({}).source]);
  });
});
