import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { testAgent } from '../../support/agent.ts';
import { expectNoneLeft, runWith as run, smallServer, toolNamed } from './servers.ts';

const TOOLS = ['act', 'other'].map((name) => toolNamed(name));
const ACT = 'mcp__small__act';

describe('a server that fails at the start', () => {
  it.each([
    ['cannot be found', { command: ['/no/such/program'] }, /could not be started: .*ENOENT/],
    ['exits', { diesOnStart: true }, /it ended with exit code 3 \(stderr: cannot find the \[31mdatabase\[0m\)/],
    ['does not answer initialize', { hang: 'initialize', timeoutMs: 500 }, /did not answer within 500 ms/],
    ['does not list its tools', { hang: 'tools/list', timeoutMs: 500 }, /did not answer within 500 ms/],
    ['floods stdout', { flood: 'garbage' }, /sent messages without end/],
    ['sends a line without end', { flood: 'line' }, /sent a message of more than 16777216 bytes/],
  ])('that %s costs its tools only', async (_, options, problem) => {
    const broken = smallServer(TOOLS, options);
    const good = smallServer(TOOLS, { name: 'good' });
    const { result, sources, results, told } = await run(
      [broken.source, good.source],
      [call('mcp__good__act', {}), say('Done.')],
    );
    expect(result.status).toBe('completed');
    expect(results).toMatchObject([{ ok: true }]);
    expect(sources).toMatchObject([
      { name: 'mcp:small', tools: [], problem: expect.stringMatching(problem) },
      { name: 'mcp:good', tools: [{ name: 'mcp__good__act' }, { name: 'mcp__good__other' }] },
    ]);
    expect(told.map(({ text }) => text)).toEqual(['The tools of mcp:small are not available now. Do without them.']);
    expectNoneLeft([...broken.pids(), ...good.pids()]);
  });

  it('is stopped when the run is cancelled before it has begun', async () => {
    const { source, pids } = smallServer(TOOLS, { hang: 'initialize', timeoutMs: 600_000 });
    const { agent } = testAgent({ toolSources: [source], script: [say('Done.')] });
    const begun = agent.run('Do it');
    await expect.poll(() => pids().length).toBe(1);
    await begun.cancel();
    expect(await begun.result).toMatchObject({ status: 'cancelled' });
    expectNoneLeft(pids());
  });
});

describe('a call', () => {
  it('of a server that floods fails, and the next one gets a new server', async () => {
    const { source, pids } = smallServer(TOOLS);
    const { results } = await run([source], [call(ACT, { do: 'flood', with: 'line' }), call(ACT, {}), say('Done.')]);
    expect(results).toMatchObject([{ ok: false, error_kind: 'too_large' }, { ok: true }]);
    expectNoneLeft(pids());
  });

  it('of a server that dies fails, and the next one starts the server again', async () => {
    const { source, pids } = smallServer(TOOLS);
    const { results } = await run([source], [call(ACT, { do: 'die' }), call(ACT, { n: 1 }), say('Done.')]);
    expect(results).toMatchObject([
      {
        ok: false,
        error_kind: 'unavailable',
        retryable: true,
        stderr: expect.stringMatching(/exit code 4 \(stderr: out of luck\).*started again/),
      },
      { ok: true, stdout: 'act: {"n":1}' },
    ]);
    expect(pids().length).toBe(2);
    expectNoneLeft(pids());
  });

  it('beside others starts a server that died once for all of them', async () => {
    const { source, pids } = smallServer(TOOLS);
    const script = [call(ACT, { do: 'die' }), [1, 2, 3].map((n) => call(ACT, { n })), say('Done.')];
    const { results } = await run([source], script);
    expect(results.map(({ ok }) => ok)).toEqual([false, true, true, true]);
    expect(pids().length).toBe(2);
    expectNoneLeft(pids());
  });

  it('of a server that hangs times out, and the next one gets a new server', async () => {
    const { source, pids, calls } = smallServer(TOOLS, { timeoutMs: 5000 });
    const { results } = await run([source], [call(ACT, { do: 'hang' }), call(ACT, {}), say('Done.')]);
    expect(results).toMatchObject([
      { ok: false, error_kind: 'timeout', stderr: expect.stringContaining('did not answer within 5000 ms') },
      { ok: true },
    ]);
    expect(calls()).toContainEqual(expect.stringMatching(/^cancelled \d+$/));
    expect(pids().length).toBe(2);
    expectNoneLeft(pids());
  });

  it('fails with what the server reports, and leaves the server as it is', async () => {
    const { source, pids } = smallServer(TOOLS);
    const script = [
      call(ACT, { do: 'reject' }),
      call(ACT, { do: 'fail' }),
      call(ACT, { do: 'nonsense' }),
      call(ACT, {}),
      say('Done.'),
    ];
    const { results } = await run([source], script);
    expect(results).toMatchObject([
      { ok: false, error_kind: 'failed', stderr: 'the MCP server small reports an error: the [31mbackend[0m said no' },
      { ok: false, error_kind: 'failed', stderr: 'it did not work' },
      { ok: true, stdout: '' },
      { ok: true },
    ]);
    expect(pids().length).toBe(1);
  });

  it('that is cancelled is cancelled at the server, and leaves no process', async () => {
    const { source, calls, pids } = smallServer(TOOLS, { stubborn: true });
    const { agent } = testAgent({ toolSources: [source], script: [call(ACT, { do: 'hang' }), say('Done.')] });
    const begun = agent.run('Do it');
    await expect.poll(() => calls().some((line) => line.startsWith('hanging'))).toBe(true);
    await begun.cancel();
    expect(await begun.result).toMatchObject({ status: 'cancelled' });
    expect(calls()).toContainEqual(expect.stringMatching(/^cancelled \d+$/));
    expectNoneLeft(pids());
  });

  it('leaves no process of a server that ignores SIGTERM, nor of what it started', async () => {
    const { source, pids } = smallServer(TOOLS, { stubborn: true });
    const { results } = await run([source], [call(ACT, { do: 'start' }), say('Done.')]);
    expect(results).toMatchObject([{ ok: true }]);
    expect(pids().length).toBe(2);
    expectNoneLeft(pids());
  });
});

it('runs leave no descriptor open, however their servers end', async () => {
  const ways = [
    {},
    { diesOnStart: true },
    { hang: 'initialize', timeoutMs: 300 },
    { flood: 'garbage' },
    { command: ['/no/such'] },
  ];
  const once = async () => {
    for (const options of ways) {
      const { source } = smallServer(TOOLS, options);
      await run([source], [call(ACT, { do: 'die' }), call(ACT, {}), say('Done.')]);
    }
  };
  await once();
  const open = () => fs.readdirSync('/proc/self/fd').length;
  const before = open();
  await once();
  await once();
  await expect.poll(open).toBeLessThanOrEqual(before);
});
