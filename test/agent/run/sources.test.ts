import { describe, expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { openSources } from '../../../src/agent/run/open-sources.ts';
import type { SourceTool, ToolSource } from '../../../src/tools/tool-source.ts';
import { carryOut, dataOf, policyOf, signalOf, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const ANY = { type: 'object' };
const act: SourceTool = { name: 'act', description: 'Acts.', parameters: ANY, execute: async () => 'acted' };

/** A source in this process that counts how often it was opened and closed. */
function sourceOf(name: string, tools: readonly SourceTool[] = [act], before: () => unknown = () => {}) {
  const counts = { opened: 0, closed: 0 };
  const source: ToolSource = {
    name,
    open: async () => {
      await before();
      counts.opened++;
      return { tools, close: async () => void counts.closed++ };
    },
  };
  return { source, counts };
}

const failing = (name: string): ToolSource => ({ name, open: () => Promise.reject(new Error('no luck')) });

describe('sources of tools', () => {
  it('are opened when a run begins, and closed when it has ended', async () => {
    const { source, counts } = sourceOf('one');
    const made = testAgent({ toolSources: [source], script: [call('act', {}), say('Done.')] });
    expect(counts).toEqual({ opened: 0, closed: 0 });
    const { events } = await carryOut(made);
    expect(counts).toEqual({ opened: 1, closed: 1 });
    expect(dataOf(events, 'run_started')[0]).toMatchObject({
      tools: [{ name: 'act' }],
      sources: [{ name: 'one', tools: [{ name: 'act', description: 'Acts.', parameters: ANY }] }],
    });
  });

  it('are opened all at once', async () => {
    const [first, second] = [signalOf(), signalOf()];
    const one = sourceOf('one', [act], async () => {
      first.resolve();
      await second.promise;
    });
    const other = sourceOf('other', [], async () => {
      second.resolve();
      await first.promise;
    });
    const { result } = await carryOut(testAgent({ toolSources: [one.source, other.source], script: [say('Done.')] }));
    expect(result.status).toBe('completed');
  });

  it('are closed when a run waits, and opened again when it is resumed', async () => {
    const { source, counts } = sourceOf('one');
    let answers = false;
    const made = testAgent({
      toolSources: [source],
      policy: policyOf(() => 'ask'),
      approvals: {
        decide: async () => (answers ? { decision: 'approved', reason: null, rule: null, by: 'test' } : 'later'),
      },
      script: [call('act', {}), say('Done.')],
      model: { position: 'prompt' },
    });
    const { result } = await carryOut(made);
    expect([result.status, counts]).toEqual(['waiting', { opened: 1, closed: 1 }]);
    answers = true;
    expect((await carryOut(made, made.agent.resume(result.run_id))).result.status).toBe('completed');
    expect(counts).toEqual({ opened: 2, closed: 2 });
  });

  it('are closed when a run fails, is cancelled, or cannot begin', async () => {
    const { source, counts } = sourceOf('one');
    const failed = testAgent({ toolSources: [source], policy: policyOf(() => 'ask'), script: [call('act', {})] });
    expect((await carryOut(failed)).result.status).toBe('failed');
    const [started, never] = [signalOf(), signalOf()];
    const hanging: SourceTool = {
      ...act,
      execute: (_, { signal }) => {
        started.resolve();
        signal.addEventListener('abort', () => never.resolve());
        return never.promise.then(() => 'stopped');
      },
    };
    const slow = sourceOf('slow', [hanging]);
    const { agent } = testAgent({ toolSources: [slow.source], script: [call('act', {})] });
    const run = agent.run('Do it');
    await started.promise;
    await run.cancel();
    expect(slow.counts).toEqual({ opened: 1, closed: 1 });
    const invalid = testAgent({ toolSources: [source], output: { type: 'string' } as never, script: [] });
    await expect(invalid.agent.run('Do it').result).rejects.toMatchObject({ code: 'TOOL_INVALID' });
    expect(counts).toEqual({ opened: 2, closed: 2 });
  });

  it('that cannot be opened are told to the model once, by name', async () => {
    const { source } = sourceOf('one');
    const made = testAgent({
      toolSources: [failing('two'), source],
      policy: policyOf(() => 'ask'),
      approvals: { decide: async () => 'later' },
      script: [call('act', {}), say('Done.')],
      model: { position: 'prompt' },
    });
    const { events, result } = await carryOut(made);
    expect(dataOf(events, 'run_started')[0]!.sources).toMatchObject([
      { name: 'two', tools: [], problem: 'no luck' },
      { name: 'one' },
    ]);
    const told = 'The tools of two are not available now. Do without them.';
    expect(dataOf(events, 'user_message').map(({ text }) => text)).toEqual(['Do it', told]);
    const resumed = await carryOut(made, made.agent.resume(result.run_id));
    expect(dataOf(resumed.events, 'user_message').length).toBe(2);
    expect(dataOf(resumed.events, 'run_resumed')[0]!.sources).toMatchObject([{ problem: 'no luck' }, { name: 'one' }]);
  });

  it('cannot take the name of a tool of the agent, nor offer what is not a tool', async () => {
    const odd = { ...act, name: 'not a name' };
    const list = { ...act, name: 'list', parameters: { type: 'array' } };
    const { source } = sourceOf('one', [act, { ...act, description: 'Again.' }, odd, list]);
    const { events } = await carryOut(testAgent({ toolSources: [source], script: [say('Done.')] }));
    const [listed] = dataOf(events, 'run_started')[0]!.sources!;
    expect(listed!.tools.length).toBe(1);
    expect(listed!.problem).toMatch(
      /act: another tool has this name; invalid tool name "not a name"; .*"list" cannot be used/,
    );
  });

  it('keep their secrets out of the log', async () => {
    const quoting: SourceTool = { ...act, execute: async () => 'the token is sesame-4711' };
    const { source } = sourceOf('one', [quoting]);
    const secrets = [{ name: 'one.token', value: 'sesame-4711' }];
    const { events } = await carryOut(
      testAgent({ toolSources: [{ ...source, secrets }], script: [call('act', {}), say('Done.')] }),
    );
    expect(JSON.stringify(events)).not.toContain('sesame');
  });

  it('that ignore that they take too long are left, and closed when they come after all', async () => {
    const late = signalOf();
    const { source, counts } = sourceOf('late', [act], () => late.promise);
    const opening = { signal: new AbortController().signal, env: {}, workspaceRoot: temporaryFolder(), taken: [] };
    const { logged, close } = await openSources([{ ...source, openTimeoutMs: 1 }], { ...opening, stopGraceMs: 1 });
    expect(logged).toEqual([{ name: 'late', tools: [], problem: 'it took longer than 1 ms' }]);
    await close();
    late.resolve();
    await expect.poll(() => counts).toEqual({ opened: 1, closed: 1 });
  });
});
