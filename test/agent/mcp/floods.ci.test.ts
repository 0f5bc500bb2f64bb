import { describe, expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { expectNoneLeft, runWith as run, smallServer, toolNamed } from './servers.ts';

const TOOLS = [toolNamed('act')];
const ACT = 'mcp__small__act';
const MAX_GROWTH_BYTES = 400 * 2 ** 20;

describe('a call', () => {
  it.each([
    ['notifications', 'failed'],
    ['changes', 'failed'],
    ['requests', 'failed'],
    ['garbage', 'failed'],
    ['stderr', 'failed'],
    ['line', 'too_large'],
  ])('of a server that floods with %s fails, without holding what it sends', async (kind, error_kind) => {
    const { source, pids } = smallServer(TOOLS);
    const before = process.memoryUsage().rss;
    let [turns, isOver] = [0, false];
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    count();
    const { results } = await run([source], [call(ACT, { do: 'flood', with: kind }), call(ACT, {}), say('Done.')]);
    isOver = true;
    expect(results).toMatchObject([{ ok: false, error_kind }, { ok: true }]);
    expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH_BYTES);
    // Other work had its turns meanwhile.
    expect(turns).toBeGreaterThan(10);
    expectNoneLeft(pids());
  });

  it('is not carried out any more after the server was started again ten times', async () => {
    const { source, pids } = smallServer(TOOLS);
    const script = [...Array.from({ length: 12 }, (_, n) => call(ACT, { do: 'die', n })), say('Done.')];
    const { results, result } = await run([source], script);
    expect(results.map(({ error_kind }) => error_kind)).toEqual(Array(12).fill('unavailable'));
    expect(results.at(-1)).toMatchObject({ retryable: false, stderr: expect.stringContaining('10 times') });
    expect(result.status).toBe('completed');
    expect(pids().length).toBe(11);
  });
});

it('a server that floods stderr at its start has no tools', async () => {
  const { source, pids } = smallServer(TOOLS, { flood: 'stderr' });
  const { sources } = await run([source], [say('Done.')]);
  expect(sources).toMatchObject([{ tools: [], problem: expect.stringContaining('sent messages without end') }]);
  expectNoneLeft(pids());
});
