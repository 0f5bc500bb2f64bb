import { expect, test } from 'vitest';
import { engineOf } from '../../src/engines/index.ts';
import type { RaspDraft } from '../../src/protocol/index.ts';
import { parserContext, readLogs } from './read-log.ts';

const read = (stdout: string, engine = 'codex') =>
  readLogs(engineOf(engine).parser.create(parserContext(engine)), { stdout });
const ofType = (drafts: readonly RaspDraft[], type: string) => drafts.filter(({ event }) => event.type === type);

const THREAD = '{"type":"thread.started","thread_id":"t-1"}\n';

test('output an engine parser cannot read has a low confidence', () => {
  const drafts = read(`${THREAD}not json\n`);
  expect(ofType(drafts, 'raw.stdout').map(({ source }) => source.confidence)).toEqual([0.3]);
});

test('output of a plain command is read with certainty', () => {
  expect(ofType(read('any words\n', 'text'), 'raw.stdout').map(({ source }) => source.confidence)).toEqual([1]);
});

test('every parser warning says how certain the reading is', () => {
  const drafts = read(`${THREAD}{"type":"never.heard.of"}\n{"broken\n`);
  const warnings = ofType(drafts, 'diagnostic.parser.warning');
  expect(warnings.map(({ data, source }) => [(data as { confidence: number }).confidence, source.confidence])).toEqual([
    [0.3, 0.3],
    [0.3, 0.3],
  ]);
});

test('raw output belongs to the session once the engine has told it', () => {
  const drafts = read(`a word before\n${THREAD}a word after\n`);
  expect(ofType(drafts, 'raw.stdout').map(({ correlation }) => correlation)).toEqual([{}, { session_id: 't-1' }]);
});
