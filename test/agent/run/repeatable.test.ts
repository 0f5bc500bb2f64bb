import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { tool } from '../../../src/tools/index.ts';
import { carryOut, dataOf, testAgent } from '../../support/agent.ts';

/** A run whose process died in the middle of a call, after the intent: its folder is set back to what it was then. */
async function diedInCall({ isRepeatable, close }: { isRepeatable: boolean; close?: string }) {
  const keys: string[] = [];
  const folder = () => path.join(parts.options.workspaceRoot, '.tacho/runs/run-a');
  const kept = () => `${parts.options.workspaceRoot}/kept`;
  const make = tool({
    name: 'make',
    description: 'Makes something, once for each key.',
    input: { type: 'object' },
    isRepeatable,
    execute: (_, { callKey }) => {
      keys.push(callKey);
      if (keys.length === 1) fs.cpSync(folder(), kept(), { recursive: true });
      return 'made';
    },
  });
  const parts = testAgent({
    script: [call('make', {}, { id: 'x' }), say('Done.')],
    model: { position: 'prompt' },
    tools: [make],
  });
  await carryOut(parts, 'Do it', { runId: 'run-a' });
  fs.rmSync(folder(), { recursive: true });
  fs.renameSync(kept(), folder());
  return { ...(await carryOut(parts, parts.agent.resume('run-a', { close }))), keys };
}

it('repeats a call that is keyed, with the same key', async () => {
  const { result, events, keys } = await diedInCall({ isRepeatable: true });
  expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
  expect(keys).toEqual(['1.x', '1.x']);
  expect(dataOf(events, 'tool_call_finished')).toMatchObject([{ result: { ok: true, stdout: 'made' } }]);
});

it('does not repeat any other call with effects', async () => {
  const { events, keys } = await diedInCall({ isRepeatable: false });
  expect(keys).toEqual(['1.x']);
  expect(dataOf(events, 'tool_call_finished')).toMatchObject([{ result: { error_kind: 'unknown_outcome' } }]);
});

it('reports an unknown outcome also when the run is closed before it gets to the call', async () => {
  const { events, types, result } = await diedInCall({ isRepeatable: false, close: 'not now' });
  expect(result).toMatchObject({ status: 'closed', reason: 'not now' });
  expect(types.slice(-4)).toEqual(['run_resumed', 'close_requested', 'tool_call_finished', 'run_waiting']);
  expect(dataOf(events, 'tool_call_finished')).toMatchObject([{ result: { error_kind: 'unknown_outcome' } }]);
});
