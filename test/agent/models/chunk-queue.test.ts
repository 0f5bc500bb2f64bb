import { describe, expect, it } from 'vitest';
import { ChunkQueue } from '../../../src/agent/models/chunk-queue.ts';
import type { ModelChunk } from '../../../src/agent/models/index.ts';

const delta = (text: string, part = 0): ModelChunk => ({ type: 'delta', kind: 'text', part, text });

describe('ChunkQueue', () => {
  it('delivers the first chunk at once, without waiting for others', async () => {
    const queue = new ChunkQueue();
    const first = queue.take();
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    queue.push(delta('a'));
    expect(await first).toEqual([delta('a')]);
    expect(turned).toBe(false);
  });

  it('delivers later chunks that arrive together as one group', async () => {
    const queue = new ChunkQueue();
    queue.push(delta('a'));
    await queue.take();
    const next = queue.take();
    queue.push(delta('b'));
    await Promise.resolve();
    queue.push(delta('c'));
    queue.push(delta('d', 1));
    expect(await next).toEqual([delta('bc'), delta('d', 1)]);
  });

  it('joins what arrives while the reader is busy, but never across the beginning of a call', async () => {
    const queue = new ChunkQueue();
    const call: ModelChunk = { type: 'delta', kind: 'tool_arguments', part: 1, text: '', call_id: 'c', name: 't' };
    queue.push(delta('a'));
    queue.push(delta('b'));
    queue.push({ ...call });
    queue.push({ type: 'delta', kind: 'tool_arguments', part: 1, text: '{}' });
    queue.push({ type: 'meta', part: 1, meta: {} });
    queue.push({ type: 'delta', kind: 'tool_arguments', part: 2, text: '', call_id: 'd', name: 't' });
    queue.end();
    expect(await queue.take()).toEqual([
      delta('ab'),
      { ...call, text: '{}' },
      { type: 'meta', part: 1, meta: {} },
      { ...call, part: 2, call_id: 'd' },
    ]);
    expect(await queue.take()).toBeNull();
    expect(await queue.take()).toBeNull();
  });

  it('delivers what arrived before a failure', async () => {
    const queue = new ChunkQueue();
    queue.push(delta('a'));
    queue.end({ error: new Error('cut') });
    queue.push(delta('too late'));
    expect(await queue.take()).toEqual([delta('a')]);
    await expect(queue.take()).rejects.toThrow('cut');
  });

  it('makes the connection wait for a reader that is far behind', async () => {
    const queue = new ChunkQueue();
    queue.push(delta('x'.repeat(2_000_000)));
    let hasRoom = false;
    const room = queue.room().then(() => {
      hasRoom = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasRoom).toBe(false);
    await queue.take();
    await room;
    expect(hasRoom).toBe(true);
  });

  it('lets go of a waiting connection when it ends', async () => {
    const queue = new ChunkQueue();
    queue.push(delta('x'.repeat(2_000_000)));
    const room = queue.room();
    queue.end();
    await room;
  });
});
