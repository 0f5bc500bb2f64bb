import fs from 'node:fs';
import { expect, test } from 'vitest';
import { engineOf } from '../../../src/engines/index.ts';
import type { Completion } from '../../../src/protocol/index.ts';
import { analyzeCompletion } from '../../../src/runs/completion/completion.ts';
import { EndObserver } from '../../../src/runs/completion/end-evidence.ts';
import { parserContext, readLogs } from '../../engines/read-log.ts';
import { ENDINGS, endingFile, type RecordedEnding, type SkillEnding, WAYS } from '../../support/skill-endings.ts';

function completionOf({ name, engine, mode }: SkillEnding, way: (typeof WAYS)[number]): Completion {
  const { stdout, exit_code, signal } = JSON.parse(fs.readFileSync(endingFile(name, way), 'utf8')) as RecordedEnding;
  const profile = engineOf(engine);
  const observer = new EndObserver(profile);
  observer.observe(readLogs(profile.parser.create(parserContext(engine)), { stdout }, exit_code ?? 1));
  const { terminalBy } = profile;
  const { evidence } = observer;
  // A done signal decides alone. Only the contract requires a marker.
  const markerRequired = way === 'contract';
  return analyzeCompletion({
    exit: { exit_code, signal },
    endedByUs: null,
    terminalBy,
    mode,
    markerRequired,
    evidence,
  });
}

test('there are twelve recorded endings', () => {
  expect(ENDINGS).toHaveLength(12);
});

test.each(ENDINGS)('$name: a done signal with the name of a skill and the done marker agree on $state', (ending) => {
  const [contract, signal] = WAYS.map((way) => completionOf(ending, way));
  expect({ contract: contract!.state, signal: signal!.state }).toEqual({
    contract: ending.state,
    signal: ending.state,
  });
  expect(signal).toMatchObject({ rule: 1, source: 'done_signal' });
  expect(contract!.rule).toBeGreaterThan(1);
  expect(contract!.needs_user_input).toBe(signal!.needs_user_input);
});
