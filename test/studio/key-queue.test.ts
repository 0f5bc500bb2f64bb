import { expect, onTestFinished, test } from 'vitest';
import { keyQueue } from '../../studio/panes/terminal/key-queue.ts';

/** A frame is the next event loop turn here. */
function withFrames(): void {
  Object.assign(globalThis, { requestAnimationFrame: (draw: () => void) => setTimeout(draw, 0) });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'requestAnimationFrame'));
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test('keys of one frame are sent together, and later keys after they have arrived', async () => {
  withFrames();
  const sent: string[] = [];
  let arrive = () => {};
  const type = keyQueue({
    send: (keys) => {
      sent.push(text(keys));
      return new Promise((resolve) => {
        arrive = resolve;
      });
    },
    onSent: () => {},
  });
  type('e');
  type('cho');
  expect(sent).toEqual([]);
  await expect.poll(() => sent).toEqual(['echo']);
  type(' é');
  type(Uint8Array.of(0x0d));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(sent).toEqual(['echo']);
  arrive();
  await expect.poll(() => sent).toEqual(['echo', ' é\r']);
});

test('keys after undelivered ones are not sent without them', async () => {
  withFrames();
  const sent: string[] = [];
  const results: (string | null)[] = [];
  const type = keyQueue({
    send: async (keys) => {
      sent.push(text(keys));
      if (sent.length > 1) return;
      type(' -rf /');
      throw new Error('no');
    },
    onSent: (error) => results.push(error?.message ?? null),
  });
  type('rm x');
  await expect.poll(() => results).toEqual(['no']);
  type('ls');
  await expect.poll(() => results).toEqual(['no', null]);
  expect(sent).toEqual(['rm x', 'ls']);
});
