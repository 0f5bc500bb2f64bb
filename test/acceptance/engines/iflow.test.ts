import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitOf, listFixtures } from '../../support/fixtures.ts';
import { sandbox } from '../../support/tacho.ts';

interface Imported {
  run_id: string;
  session_id: string | null;
  completion: { state: string; reason_code: string };
  coverage: number;
}

const CASES = [
  ['glued JSON', 'glued'],
  ['fenced JSON', 'fenced'],
  ['Execution Info on stderr', 'auto'],
  ['Execution Info on stdout', 'info-on-stdout'],
  ['resumed round', 'resumed'],
  ['auth failure', 'auth'],
] as const;

describe('logs of iFlow are imported, in whatever form it printed them', () => {
  test.each(CASES)('%s', async (_, name) => {
    const box = sandbox();
    const { folder, expected } = listFixtures().find((one) => one.engine === 'iflow' && one.name === name)!;
    const logs = ['--stdout', path.join(folder, 'stdout.log'), '--stderr', path.join(folder, 'stderr.log')];
    const exit = ['--exit-code', String(exitOf(folder, 'split'))];
    const imported = await box.jsonHere<Imported>(['import', 'iflow', ...logs, ...exit]);
    const finals = box.events(imported.run_id).filter(({ event }) => event.type === 'agent.message.final');
    expect({
      session_id: imported.session_id,
      final_messages: finals.map(({ data }) => (data as { text: string }).text),
      completion: { state: imported.completion.state, reason_code: imported.completion.reason_code },
      coverage: imported.coverage,
    }).toEqual({
      session_id: expected.session_id,
      final_messages: expected.final_messages,
      completion: expected.completion.auto,
      coverage: 1,
    });
    if (name === 'glued' || name === 'fenced') expect(finals[0]!.data).toHaveProperty('structured_payload');
  });
});
