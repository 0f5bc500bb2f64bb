import { describe, expect, test } from 'vitest';
import { listEngines } from '../../src/engines/index.ts';
import type { RaspDraft } from '../../src/protocol/index.ts';
import { listFixtures, readFixtureLog } from '../support/fixtures.ts';
import { coveredBytes, parserContext, readLogs } from './read-log.ts';

const NDJSON = ['codex', 'gemini', 'claude', 'opencode', 'qwen', 'pi', 'demo'];
const engines = listEngines().filter(({ name }) => NDJSON.includes(name));
const fixtures = engines.map(({ name, parser }) => ({
  name,
  parser,
  logs: listFixtures()
    .filter(({ engine }) => engine === name)
    .map(({ folder }) => readFixtureLog(folder, 'stdout')?.toString() ?? '')
    .filter((log) => objectsOf(log).length > 1),
}));

/** Each line that is an object with a field that no engine has. */
function withNewField(log: string): string {
  return log.replaceAll(/^\{"(?=[^\n]*\}\r?$)/gm, '{"zeitgeist":{"mood":["good"]},"');
}

function objectsOf(log: string): string[] {
  return log.split('\n').filter((line) => line.startsWith('{"') && line.endsWith('}'));
}

const rawOf = (drafts: readonly RaspDraft[]) =>
  drafts.filter(({ event }) => event.category === 'raw').map(({ data }) => (data as { text: string }).text);
/** Without the ids that follow from where a line stands, which is elsewhere after a longer line. */
const meaningOf = (drafts: readonly RaspDraft[]) =>
  drafts
    .filter(({ event }) => event.category !== 'diagnostic' && event.category !== 'raw')
    .map(({ event, data }) => `${event.type} ${JSON.stringify(data).replaceAll(/"1\.stdout\.\d+/g, '"here')}`);

describe.each(fixtures)('$name with a new field in every event', ({ name, parser, logs }) => {
  const read = (stdout: string) => readLogs(parser.create(parserContext(name)), { stdout });

  test('has fixtures to prove it with', () => expect(logs.length).toBeGreaterThan(0));

  test('repeats no line as raw output, and reads everything else as before', () => {
    for (const log of logs) {
      const changed = withNewField(log);
      const drafts = read(changed);
      expect(rawOf(drafts).filter((text) => text.includes('zeitgeist'))).toEqual([]);
      expect(meaningOf(drafts)).toEqual(meaningOf(read(log)));
      expect(coveredBytes(drafts)).toBe(Buffer.byteLength(changed));
    }
  });

  test('warns once for each kind of event, however many lines of it there are', () => {
    for (const log of logs) {
      const twice = withNewField(log + log);
      const kinds = read(twice)
        .map(({ data }) => data as { problem?: string; event_type?: string })
        .filter(({ problem }) => problem === 'unknown fields')
        .map(({ event_type }) => event_type);
      expect(kinds.length).toBeGreaterThan(0);
      expect(new Set(kinds).size).toBe(kinds.length);
    }
  });

  test('warns once also when the next line of the same kind has another new field', () => {
    const [line] = objectsOf(logs[0]!);
    const renamed = (field: string) => `${line!.replace('{"', `{"${field}":1,"`)}\n`;
    const warnings = read(renamed('mood') + renamed('zeitgeist')).filter(
      ({ data }) => (data as { problem?: string }).problem === 'unknown fields',
    );
    expect(warnings).toHaveLength(1);
  });
});
