import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { startService } from '../../support/service.ts';
import { finished, tachoCommand, temporaryFolder } from '../../support/tacho.ts';

test('`run` uses the server when there is one and works alone when there is none, with the same result', {
  timeout: 300_000,
}, async () => {
  const service = await startService();
  const run = (home: string, ...command: string[]) =>
    finished(
      spawn(process.execPath, [tachoCommand, 'run', '--', ...command], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, TACHO_HOME: home, NO_COLOR: '1' },
      }),
    );
  const alone = temporaryFolder();
  const rounds = proofSize({ small: 6, full: 50 });
  // The quickest there are: over before anybody could look.
  for (let round = 0; round < rounds; round++) {
    const command = ['sh', '-c', `echo out ${round}; echo err ${round} >&2; exit ${round % 3}`];
    const [through, by] = await Promise.all([run(service.home, ...command), run(alone, ...command)]);
    expect(through.stdout).toBe(`out ${round}\n`);
    expect([through.code, through.stdout]).toEqual([by.code, by.stdout]);
    // The last line tells how long it took, and the run's name.
    const said = (text: string) => text.replace(/·[^·]*· tacho show .*/, '');
    expect(said(through.stderr)).toBe(said(by.stderr));
  }
  expect((await service.client.listRuns()).total).toBe(rounds);
});
