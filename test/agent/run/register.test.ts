import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentFromConfig } from '../../../src/agent/from-config/agent-from-config.ts';
import { scriptedModel } from '../../../src/agent/models/scripted-model.ts';
import { agentRegistrationSchema } from '../../../src/protocol/index.ts';
import { carryOut, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { userWith } from '../from-config/user.ts';

function registered(dataFolder: string) {
  const folder = path.join(dataFolder, 'agents');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).toSorted() : [];
  return names.map((name) =>
    agentRegistrationSchema.parse(JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))),
  );
}

/** Warnings of this process until the test ends. */
function warnings(): string[] {
  const seen: string[] = [];
  const note = (warning: Error) => void seen.push(warning.message);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  return seen;
}

describe('registration', () => {
  it('is left out unless it is asked for', async () => {
    const home = temporaryFolder();
    const before = process.env.TACHO_HOME;
    process.env.TACHO_HOME = home;
    onTestFinished(() => {
      process.env.TACHO_HOME = before;
    });
    await carryOut(testAgent({ script: ['Done.'] }));
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it('names the log before its first event, once, and privately', async () => {
    const dataFolder = temporaryFolder();
    const atFirstEvent: unknown[] = [];
    const test = testAgent({
      script: ['Done.'],
      register: { dataFolder },
      onEvent: () => void atFirstEvent.push(...(atFirstEvent.length === 0 ? registered(dataFolder) : [])),
    });
    const { result } = await carryOut(test);
    const [entry, ...more] = registered(dataFolder);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      run_id: result.run_id,
      workspace: fs.realpathSync(test.options.workspaceRoot),
      locator: result.wal_locator,
    });
    expect(atFirstEvent).toEqual([entry]);
    expect(fs.statSync(path.join(dataFolder, 'agents')).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path.join(dataFolder, 'agents', `${result.run_id}.json`)).mode & 0o777).toBe(0o600);
  });

  it('keeps runs of the same name in different workspaces apart', async () => {
    const dataFolder = temporaryFolder();
    for (const _ of [1, 2]) {
      await carryOut(testAgent({ script: ['Done.'], register: { dataFolder } }), 'Do it', { runId: 'nightly' });
    }
    const entries = registered(dataFolder);
    expect(entries.map(({ run_id }) => run_id)).toEqual(['nightly', 'nightly']);
    expect(new Set(entries.map(({ locator }) => locator)).size).toBe(2);
  });

  it('replaces a file that is not a registration', async () => {
    const dataFolder = temporaryFolder();
    fs.mkdirSync(path.join(dataFolder, 'agents'));
    fs.writeFileSync(path.join(dataFolder, 'agents', 'mine.json'), 'null');
    await carryOut(testAgent({ script: ['Done.'], register: { dataFolder } }), 'Do it', { runId: 'mine' });
    expect(registered(dataFolder).map(({ run_id }) => run_id)).toEqual(['mine']);
  });

  it('that fails is one warning, and the run goes on', async () => {
    const seen = warnings();
    const place = path.join(temporaryFolder(), 'file');
    fs.writeFileSync(place, '');
    const { result } = await carryOut(testAgent({ script: ['Done.'], register: { dataFolder: place } }));
    expect(result.status).toBe('completed');
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]).toContain(`the run "${result.run_id}" could not be registered`);
  });

  it('leaves children out, also when they are resumed', async () => {
    const dataFolder = temporaryFolder();
    const child = testAgent({
      script: [{ type: 'call', name: 'ask_human', arguments: { question: 'Which?' } }],
      register: { dataFolder },
      tools: undefined,
      human: 'later',
    });
    const parent = testAgent({ script: ['Done.'], workspaceRoot: child.options.workspaceRoot });
    const run = parent.agent.run('Lead.', { runId: 'lead' });
    await run.result;
    const { result } = await carryOut(child, 'Help.', { parent: { run, callId: 'c1' }, runId: 'help' });
    expect(result.status).toBe('waiting');
    expect((await carryOut(child, child.agent.resume('help'))).result.status).toBe('waiting');
    expect(registered(dataFolder)).toEqual([]);
  });

  it('is asked for by an agent from the configuration, unless it is overridden', async () => {
    const { root, home, env } = userWith({ sandbox: { profile: 'none' } }, {});
    const make = async (override: object) =>
      (await agentFromConfig(root, { env, home, override: { model: scriptedModel(['Done.']), ...override } })).agent;
    await (await make({ register: null })).run('Do it').result;
    expect(registered(home)).toEqual([]);
    const { run_id } = await (await make({})).run('Do it').result;
    expect(registered(home).map((entry) => entry.run_id)).toEqual([run_id]);
  });
});
