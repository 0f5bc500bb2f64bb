import { expect, it } from 'vitest';
import { systemClock } from '../../../src/agent/clock.ts';
import { Emitter } from '../../../src/agent/loop/emitter.ts';
import { newState } from '../../../src/agent/state/state.ts';
import { createRedactor } from '../../../src/agent/wal/index.ts';

it('events are not written after others that could not be', async () => {
  const written: string[] = [];
  let isFull = false;
  const emitter = new Emitter({
    state: newState('run-1'),
    clock: systemClock,
    mask: createRedactor([]),
    sink: {
      collects: false,
      append: async (drafts) => {
        if (isFull) throw new Error('no space');
        written.push(...drafts.map(({ type }) => type));
      },
      keep: () => '',
    },
  });
  emitter.emit('user_message', { text: 'a', origin: 'task', when: 'now' });
  await emitter.flush();
  isFull = true;
  emitter.emit('guard_tripped', { guard: 'no_progress', detail: 'x' });
  await expect(emitter.flush()).rejects.toThrow('no space');
  isFull = false;
  emitter.emit('cancel_requested', { reason: 'x' });
  await expect(emitter.flush({ durable: true })).rejects.toThrow('no space');
  expect(written).toEqual(['user_message']);
});
