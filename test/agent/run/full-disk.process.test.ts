import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Agent } from '../../../src/agent/agent.ts';
import type { ModelRequest } from '../../../src/agent/models/model.ts';
import { call, say } from '../../../src/agent/models/script.ts';
import { scriptedModel } from '../../../src/agent/models/scripted-model.ts';
import type { AgentOptions } from '../../../src/agent/options.ts';
import { openRecordedRun } from '../../../src/agent/wal/index.ts';
import { tool } from '../../../src/tools/index.ts';
import { policyOf } from '../../support/agent.ts';
import { proofSize } from '../../support/proof-size.ts';
import { smallDisk } from '../../support/small-disk.ts';

const PAGE = 4096;
const STEPS = 6;
/** More than the run needs. */
const MOST_PAGES = 180;

/** Acts once for each step; an unknown outcome counts as done, because the tool would say so. */
function script({ prompt }: ModelRequest) {
  const done = prompt.filter(({ role }) => role === 'tool').length;
  return done < STEPS ? [say('x'.repeat(3000)), call('act', { step: done })] : [say('Done.')];
}

it('a full disk at any point ends the run with an error, and it is resumed once there is room', async () => {
  const disk = smallDisk('1m');
  const failed: string[] = [];
  const count = proofSize({ small: 12, full: 120 });
  const free = Array.from({ length: count }, (_, n) => Math.round((n * MOST_PAGES) / count));
  for (const pages of free) {
    const workspaceRoot = path.join(disk, 'workspace');
    mkdirSync(workspaceRoot);
    const effects: number[] = [];
    const act = tool<{ step: number }>({
      name: 'act',
      description: 'Acts.',
      input: { type: 'object' },
      execute: ({ step }) => {
        effects.push(step);
        return 'y'.repeat(step % 2 === 0 ? 3000 : 100_000);
      },
    });
    const options: AgentOptions = {
      workspaceRoot,
      model: scriptedModel(script),
      tools: [act],
      policy: policyOf(() => 'allow'),
      sandbox: { profile: 'none' },
    };
    const room = () => statfsSync(disk).bavail;
    writeFileSync(path.join(disk, 'filler'), Buffer.alloc((room() - pages) * PAGE));
    const run = new Agent(options).run('Act', { runId: 'run-1' });
    const outcome = await run.result.then(
      ({ status }) => status,
      (error) => error.code as string,
    );
    failed.push(outcome);
    rmSync(path.join(disk, 'filler'));
    if (outcome !== 'completed') {
      expect(outcome, `${pages} pages`).toBe('DISK_FULL');
      const resumed = new Agent(options).resume('run-1').result;
      const again = await resumed.then(
        ({ status }) => status,
        (error) => error.code as string,
      );
      // Without room for its first events there is no run.
      if (effects.length > 0 || again === 'completed') expect(again, `${pages} pages`).toBe('completed');
      else expect(again, `${pages} pages`).toBe('RUN_NOT_FOUND');
      if (again === 'completed') await expectWhole(new Agent(options), run.locator);
    }
    expect(effects.length, `${pages} pages`).toBe(new Set(effects).size);
    rmSync(workspaceRoot, { recursive: true });
  }
  expect(new Set(failed)).toEqual(new Set(['DISK_FULL', 'completed']));
});

async function expectWhole(agent: Agent, locator: string): Promise<void> {
  const recorded = openRecordedRun(locator);
  let events = 0;
  for await (const _ of recorded.read()) events++;
  recorded.close();
  expect(await agent.replay('run-1')).toEqual({ identical: true, events });
}
