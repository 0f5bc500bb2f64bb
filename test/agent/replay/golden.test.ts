import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Agent } from '../../../src/agent/agent.ts';
import { withModelRequestsForbidden } from '../../../src/agent/models/index.ts';
import type { ReplayResult } from '../../../src/agent/replay/replay-run.ts';
import { replayRun } from '../../../src/agent/replay/replay-run.ts';
import { openRecordedRun } from '../../../src/agent/wal/index.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { GOLDEN_AGENTS } from '../../support/golden-agents.ts';
import { projectRoot, temporaryFolder } from '../../support/tacho.ts';

/**
 * Logs of every kind of run, as they were written when their format was made. They keep replaying. UPDATE_FIXTURES=1
 * records those that are missing; those of a released version are never recorded again.
 */
const FIXTURES = path.join(projectRoot, 'test/fixtures/agent');
const NAMES = Object.keys(GOLDEN_AGENTS);
const FILES = ['events.jsonl', 'vault', 'head'];

if (process.env.UPDATE_FIXTURES === '1') {
  it.each(NAMES.filter((name) => !fs.existsSync(path.join(FIXTURES, name))))('records %s', async (name) => {
    const workspaceRoot = temporaryFolder('tacho-golden-');
    const { options, record } = GOLDEN_AGENTS[name]!();
    const run = await record(new Agent<never>({ ...options, workspaceRoot }), workspaceRoot);
    await run.result;
    fs.mkdirSync(path.join(FIXTURES, name), { recursive: true });
    for (const file of FILES)
      fs.copyFileSync(path.join(path.dirname(run.locator), file), path.join(FIXTURES, name, file));
  });
}

async function recordedEvents(name: string) {
  const recorded = openRecordedRun(path.join(FIXTURES, name, 'events.jsonl'));
  const events: AgentEvent[] = [];
  for await (const event of recorded.read()) events.push(event);
  return { events, vault: recorded.vault };
}

async function replayOf(
  name: string,
  {
    replay = replayRun,
    ...more
  }: { replay?: typeof replayRun; results?: Parameters<typeof replayRun>[1]['results'] } = {},
): Promise<ReplayResult> {
  const { events, vault } = await recordedEvents(name);
  const options = { ...GOLDEN_AGENTS[name]!().options, workspaceRoot: temporaryFolder() };
  return await withModelRequestsForbidden(() => replay(options, { events, vault, ...more }));
}

describe('a log', () => {
  it.each(NAMES)('of %s gives the same events again', async (name) => {
    const { events } = await recordedEvents(name);
    expect(await replayOf(name)).toEqual({ identical: true, events: events.length });
  });

  it('with another result of a tool diverges at the first event that depends on it', async () => {
    const { events } = await recordedEvents('run-files');
    const changed = events.find(
      (event): event is AgentEvent<'tool_call_finished'> => event.type === 'tool_call_finished',
    )!;
    const next = events.find(({ seq, type }) => seq > changed.seq && type === 'prompt_compiled')!;
    const results = new Map([[changed.seq, { ...changed.data.result, stdout: 'something else entirely' }]]);
    const result = await replayOf('run-files', { results });
    expect(result).toMatchObject({ identical: false, divergence: { seq: next.seq } });
  });
});

/** Each replaces one function of the loop by a wrong one. */
const DEFECTS: readonly [string, string, () => void][] = [
  [
    'results in the order in which they came',
    'run-files',
    () =>
      vi.doMock('../../../src/agent/state/messages.ts', async (original) => {
        const real = await original<typeof import('../../../src/agent/state/messages.ts')>();
        return { ...real, resultsItem: (turn: never[], step: number) => real.resultsItem([...turn].reverse(), step) };
      }),
  ],
  [
    'a conversation that is not trimmed',
    'run-long',
    () =>
      vi.doMock('../../../src/agent/state/history.ts', async (original) => ({
        ...(await original<object>()),
        trimNeeded: () => null,
      })),
  ],
  [
    'a call that runs without its approval',
    'run-approvals',
    () =>
      vi.doMock('../../../src/agent/loop/gate.ts', async (original) => {
        const real = await original<typeof import('../../../src/agent/loop/gate.ts')>();
        const permitOf: typeof real.permitOf = async (effects, call) => {
          const known = effects.prepared.get(call.part.call_id)!;
          return known.failure
            ? { kind: 'result', result: known.failure }
            : { kind: 'run', call, prepared: known.call, spec: null, isAccepted: true };
        };
        return { ...real, permitOf };
      }),
  ],
  [
    'a message that is forgotten',
    'run-interrupted',
    () =>
      vi.doMock('../../../src/agent/state/history.ts', async (original) => ({
        ...(await original<object>()),
        absorbQueued: () => false,
      })),
  ],
  [
    'an answer that is not checked',
    'run-troubles',
    () =>
      vi.doMock('../../../src/agent/run/output-check.ts', () => ({
        createOutputCheck: () => (text: string) => Promise.resolve({ value: text }),
      })),
  ],
  [
    'an early refusal that comes too late',
    'run-troubles',
    () =>
      vi.doMock('../../../src/agent/loop/early-arguments.ts', () => ({
        EarlyArguments: class {
          complete = {};
          push = () => false;
        },
      })),
  ],
];

describe('a replay notices', () => {
  it.each(DEFECTS)('%s', async (_, name, seed) => {
    vi.resetModules();
    seed();
    try {
      const { replayRun: replay } = await import('../../../src/agent/replay/replay-run.ts');
      expect(await replayOf(name, { replay })).toMatchObject({
        identical: false,
        divergence: { message: expect.any(String) },
      });
    } finally {
      vi.doUnmock('../../../src/agent/state/messages.ts');
      vi.doUnmock('../../../src/agent/state/history.ts');
      vi.doUnmock('../../../src/agent/loop/gate.ts');
      vi.doUnmock('../../../src/agent/run/output-check.ts');
      vi.doUnmock('../../../src/agent/loop/early-arguments.ts');
      vi.resetModules();
    }
  });
});
