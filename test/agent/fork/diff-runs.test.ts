import { expect, it } from 'vitest';
import { describeRunDiff } from '../../../src/agent/fork/describe-diff.ts';
import { diffRuns } from '../../../src/agent/fork/diff-runs.ts';
import { call, finish, say } from '../../../src/agent/models/script.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { carryOut, policyOf, type TestOptions, testAgent } from '../../support/agent.ts';
import { eventsOf, newFolder } from './forks.ts';

const model = { position: 'prompt' as const };
const script = [call('look', { n: 1 }), [say('And.'), call('look', { n: 2 })], say('Done.')];

function looking(more: Partial<TestOptions> = {}) {
  const tools = recordedTools({ look: (input) => `saw ${JSON.stringify(input)}` });
  return testAgent({ script, model, tools, ...more });
}

it('finds no difference between a run and the same one in another folder', async () => {
  const one = await carryOut(looking());
  const other = await carryOut(looking());
  const diff = await diffRuns(one.events, other.events);
  expect(diff).toMatchObject({ common: one.events.length, first: null, steps: [] });
  expect(describeRunDiff(diff)).toEqual([`the runs are the same: ${one.events.length} events in common`]);
});

it('shows what a fork with an edited result has in common with its origin, and what is different', async () => {
  const parts = looking();
  const { events, result } = await carryOut(parts);
  const finished = events.find((event) => event.type === 'tool_call_finished')!;
  const edited = { ...(finished.data as { result: object }).result, stdout: 'nothing\u001b[2J' };
  const fork = await parts.agent.fork(result.run_id, {
    at: finished.seq,
    into: newFolder(),
    edit: { result: edited as never },
  });
  const next = looking({ workspaceRoot: fork.workspaceRoot, script: [say('?'), say('Nothing there.')] });
  await next.agent.resume(fork.runId).result;
  const diff = await diffRuns(events, await eventsOf(fork.locator));
  expect(diff).toMatchObject({
    common: finished.seq - 1,
    first: {
      seq: finished.seq,
      types: ['tool_call_finished', 'tool_call_finished'],
      path: 'data.result.stdout',
      a: 'saw {"n":1}',
      b: 'nothing\u001b[2J',
    },
    steps: [
      { step: 1, fields: ['calls'] },
      { step: 2, fields: ['text', 'calls'], a: { text: 'And.' }, b: { text: 'Nothing there.', calls: [] } },
      { step: 3, a: { text: 'Done.' }, b: null },
    ],
    a: { end: { type: 'run_completed', text: 'Done.' } },
    b: { end: { type: 'run_completed', text: 'Nothing there.' } },
  });
  const lines = describeRunDiff(diff);
  expect(lines).toContain(`  - look({"n":1}) allow → ok "saw {\\"n\\":1}"`);
  expect(lines).toContain('  - run_completed: Done.');
  expect(lines.join('')).not.toContain('\u001b');
});

it('of a fork without an edit begins where the fork begins', async () => {
  const parts = looking();
  const { events, result } = await carryOut(parts);
  for (const at of [3, 5, events.length - 1]) {
    const fork = await parts.agent.fork(result.run_id, { at, into: newFolder() });
    const diff = await diffRuns(events, await eventsOf(fork.locator));
    expect(diff).toMatchObject({ common: at, first: { seq: at + 1, path: '', b: 'run_forked' } });
  }
});

it('compares verdicts, messages, usage and ends of runs that have nothing in common', async () => {
  const usage = { input_tokens: 5, output_tokens: 1, total_tokens: 6 };
  const one = await carryOut(looking());
  const other = await carryOut(
    looking({
      policy: policyOf(() => 'deny'),
      script: [[call('look', { n: 1 }), finish('tool_calls', usage)], say('No.')],
    }),
    'Do it otherwise',
  );
  const diff = await diffRuns(one.events, other.events);
  expect(diff.steps[0]).toMatchObject({
    fields: ['messages', 'calls', 'usage'],
    a: { messages: ['Do it'], calls: [{ verdict: 'allow', result: { ok: true } }] },
    b: { messages: ['Do it otherwise'], calls: [{ verdict: 'deny', result: { error_kind: 'denied' } }] },
  });
  expect(describeRunDiff(diff).join('\n')).toContain('+ look({"n":1}) deny → denied');
});

it('takes empty logs and logs that have not ended', async () => {
  const { events } = await carryOut(looking());
  expect(await diffRuns([], [])).toMatchObject({ common: 0, first: null, steps: [] });
  const cut = await diffRuns(events, events.slice(0, 5));
  expect(cut).toMatchObject({ common: 5, first: { types: [events[5]!.type, null] }, b: { end: null } });
  expect(describeRunDiff(cut).join('\n')).toContain('+ has not ended');
});
