import { expect, it } from 'vitest';
import { watchActivity } from '../../src/runtime/daemon/activity.ts';

const take = () => {};

it('waiting for agents is activity, listing them is not', async () => {
  let end = () => {};
  const activity = watchActivity(() => new Promise<void>((resolve) => (end = resolve)));
  const listing = activity.call('agent.list', {}, take);
  await expect.poll(() => activity.idleMs()).toBeGreaterThan(0);
  end();
  await listing;
  const waiting = activity.call('agent.wait', {}, take);
  expect(activity.idleMs()).toBe(0);
  end();
  await waiting;
  await expect.poll(() => activity.idleMs()).toBeGreaterThan(0);
});
