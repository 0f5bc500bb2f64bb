import { describe, expect, test } from 'vitest';
import { engineOf } from '../../../src/engines/index.ts';
import { parserContext, readLogs } from '../../engines/read-log.ts';
import { listLiveCases } from '../../support/golden-cases.ts';
import { readLiveEvents } from '../../support/live-fixture.ts';
import { normaliseEvents } from '../../support/normalise-events.ts';
import { SCENARIOS, VARIANTS } from '../../support/scenarios.ts';

/** The live matrix is `npm run test:engines`; here its recordings are read again, without a CLI. */
describe('a recorded scenario of a real CLI', () => {
  const cases = listLiveCases();

  test('every variant has a recording of every scenario', () => {
    const wanted = VARIANTS.flatMap((variant) =>
      [...SCENARIOS.map(({ name }) => name), 'ask'].map((name) => `live-${variant.name} ${name}`.replaceAll(' ', '-')),
    );
    expect([...new Set(cases.map(({ name }) => name.replace(/ attempt \d$/, '')))].sort()).toEqual(wanted.sort());
  });

  test.each(cases.filter(({ name }) => !name.includes('-ask')))(
    '$engine $name: the recorded bytes give the events of the live run',
    (recorded) => {
      const { engine, name, stdout, stderr, exit_code } = recorded;
      const drafts = readLogs(
        engineOf(engine).parser.create(parserContext(engine)),
        { stdout, stderr },
        exit_code ?? 1,
      );
      const { stdout: fromStdout, stderr: fromStderr } = normaliseEvents(drafts, []);
      const live = readLiveEvents(engine, name.slice('live-'.length)) as Record<string, unknown[]>;
      const types = (events: unknown[]) => events.map((event) => (event as { type: string }).type);
      expect(types(fromStdout!)).toEqual(types(live.stdout!));
      expect(types(fromStderr!)).toEqual(types(live.stderr!));
    },
  );
});
