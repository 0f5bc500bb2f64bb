import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRegistry, type Tool, type ToolAnswer, ToolFailure, tool } from '../../src/tools/index.ts';
import { truncateText } from '../../src/tools/truncate-text.ts';
import { contextFor, placeOf, workspaceWith } from './tool-context.ts';

/** Runs a tool that consists of this function. */
async function run(
  execute: Tool['execute'],
  {
    signal = new AbortController().signal,
    ...options
  }: Parameters<typeof createRegistry>[1] & { signal?: AbortSignal } = {},
) {
  let time = 0;
  const own = tool({ name: 'own', description: 'Own.', input: { type: 'object' }, execute });
  const registry = createRegistry([own], { now: () => (time += 5), ...options });
  const root = workspaceWith();
  const prepared = await registry.prepare('own', {}, placeOf(root));
  if (!prepared.ok) throw new Error(prepared.result.stderr);
  const kept: unknown[] = [];
  const result = await registry.execute(prepared, contextFor(root, { signal }), {
    keepOutput: (output) => kept.push(output),
  });
  return { result, kept };
}

describe('execute', () => {
  it('completes an answer, with the duration by the given clock', async () => {
    expect((await run(() => 'done')).result).toEqual({
      ok: true,
      stdout: 'done',
      stderr: '',
      exit_code: null,
      duration_ms: 5,
      truncated: false,
      data: null,
      error_kind: null,
      retryable: false,
    });
    const failed = await run(() => ({ ok: false, stderr: 'no', exit_code: 3, data: { when: new Date(0) } }) as never);
    expect(failed.result).toMatchObject({
      error_kind: 'failed',
      exit_code: 3,
      data: { when: '1970-01-01T00:00:00.000Z' },
    });
  });

  it('turns an error of the tool into a failure with its message', async () => {
    const thrown = await run(() => {
      throw new TypeError('x is not a function');
    });
    expect(thrown.result).toMatchObject({ ok: false, error_kind: 'failed', stderr: 'x is not a function' });
    const rejected = await run(() => Promise.reject('text'));
    expect(rejected.result).toMatchObject({ ok: false, error_kind: 'failed', stderr: 'text' });
    const stated = await run(() => {
      throw new ToolFailure('conflict', 'changed meanwhile', { data: { line: 1 }, retryable: true });
    });
    expect(stated.result).toMatchObject({ error_kind: 'conflict', data: { line: 1 }, retryable: true });
  });

  it.each([[undefined], [null], [7], [{}], [{ ok: 'yes' }]])('refuses %j as an answer', async (answer) => {
    const { result } = await run(() => answer as unknown as ToolAnswer);
    expect(result).toMatchObject({ ok: false, error_kind: 'failed' });
    expect(result.stderr).toContain('a tool returns text or an object with ok');
  });

  it('refuses data that is not JSON', async () => {
    const circle: Record<string, unknown> = {};
    circle.itself = circle;
    const { result } = await run(() => ({ ok: true, data: circle }) as never);
    expect(result).toMatchObject({ ok: false, error_kind: 'failed', data: null });
  });

  it('does not start a call that is cancelled already', async () => {
    let started = false;
    const execute = () => {
      started = true;
      return '';
    };
    const { result } = await run(execute, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ok: false, error_kind: 'cancelled' });
    expect(started).toBe(false);
  });

  it('cancels a tool that obeys the signal', async () => {
    const stop = new AbortController();
    const { result } = await run(
      (_, { signal }) =>
        new Promise<string>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          stop.abort();
        }),
      { signal: stop.signal },
    );
    expect(result).toMatchObject({ ok: false, error_kind: 'cancelled' });
  });

  it('keeps the answer of a tool that ended in spite of the signal', async () => {
    const stop = new AbortController();
    const { result } = await run(
      async () => {
        stop.abort();
        return 'written';
      },
      { signal: stop.signal },
    );
    expect(result).toMatchObject({ ok: true, stdout: 'written' });
  });

  it('abandons a tool that ignores the signal', async () => {
    const stop = new AbortController();
    const hangs = () => {
      stop.abort();
      return new Promise<string>(() => {});
    };
    const { result } = await run(hangs, { signal: stop.signal, cancelGraceMs: 1 });
    expect(result).toMatchObject({ ok: false, error_kind: 'cancelled' });
    expect(result.stderr).toContain('did not stop in time');
  });

  it('cuts a flood in the middle, and hands over all of it', async () => {
    const flood = `begin${'x'.repeat(100_000)}end`;
    const { result, kept } = await run(() => ({ ok: true, stdout: flood, stderr: 'small' }), { maxOutputChars: 100 });
    expect(result.truncated).toBe(true);
    expect(result.stdout).toMatch(/^beginx+\n\[… 99908 characters left out …\]\nx+end$/);
    expect(kept).toEqual([{ stdout: flood, stderr: 'small' }]);
  });

  it('leaves out data that is too large, as a whole', async () => {
    const { result } = await run(() => ({ ok: true, data: 'x'.repeat(200) }), { maxOutputChars: 100 });
    expect(result).toMatchObject({ ok: true, data: null, truncated: true });
  });
});

describe('truncateText', () => {
  it('never cuts a character, and keeps what fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, limit) => {
        const cut = truncateText(text, limit);
        expect(cut.truncated).toBe(text.length > limit);
        expect(Buffer.from(cut.text).toString()).toBe(cut.text);
        const parts = cut.truncated ? cut.text.split(/\n\[… \d+ characters left out …\]\n/) : [text];
        expect(text.startsWith(parts[0]!) && text.endsWith(parts.at(-1)!)).toBe(true);
      }),
    );
  });
});
