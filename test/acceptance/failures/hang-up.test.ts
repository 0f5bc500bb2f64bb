import { expect, test } from 'vitest';
import { processesWith, tachoCommand, until } from '../../support/tacho.ts';
import { expectAllVerified, makePlace } from './drive.ts';
import { startHungUp } from './start-hung-up.ts';

test.each(['split', 'merged'])('a hang-up of the terminal ends and seals a local run (%s)', async (capture) => {
  const place = makePlace();
  const mark = `hang-up-${process.pid}-${capture}`;
  const script = `: ${mark}; trap "" HUP; while :; do echo more; sleep 0.01; done`;
  const { ended, hangUp } = startHungUp(place, capture, script);
  await until(() => programsWith(mark).length > 0);
  hangUp();
  expect(await ended).toEqual({ code: 130, signal: null });
  expect(processesWith(mark)).toEqual([]);
  const [run] = await expectAllVerified(place, mark);
  expect(run).toMatchObject({ status: 'canceled', last: { reason_code: 'CANCELED' } });
});

/** Without the recorder, whose command line contains the mark too. */
function programsWith(mark: string): number[] {
  const marked = processesWith(mark);
  const recorders = processesWith(tachoCommand);
  return marked.filter((pid) => !recorders.includes(pid));
}
