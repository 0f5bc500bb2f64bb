import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Agent } from '../../../src/agent/agent.ts';
import { call, say, wait } from '../../../src/agent/models/script.ts';
import { agentDecisions } from '../../../src/agent/pending/agent-decisions.ts';
import { answerQuestion, decideApproval } from '../../../src/agent/pending/index.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { DEFAULTS } from '../../../src/config/index.ts';
import { CONVERSATION_FILE, type FcmpMessage, type RunRecord } from '../../../src/protocol/index.ts';
import { readShownRecord, runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import type { RunContext } from '../../../src/runs/context.ts';
import { openJournal } from '../../../src/runs/context.ts';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import { AgentWatch, ApprovalStore, recoverLostRuns } from '../../../src/runs/index.ts';
import { reparseAttempt } from '../../../src/runs/replay/reparse.ts';
import { acceptReply } from '../../../src/runs/service/reply.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { policyOf, signalOf, type TestOptions, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';

/** A data folder, and agents that register with it. */
function home() {
  const context: RunContext = {
    home: locateDataHome({}, temporaryFolder()),
    config: DEFAULTS,
    env: {},
    version: '0',
    agents: agentDecisions(async () => {}),
  };
  const { root, runs } = context.home;
  const problems: string[] = [];
  const watch = () => {
    const watching = new AgentWatch({ context, onProblem: (error) => void problems.push((error as Error).message) });
    let closing: Promise<void> | null = null;
    const close = () => {
      closing ??= watching.close();
      return closing;
    };
    onTestFinished(close);
    return { close };
  };
  const folders = () =>
    fs.existsSync(runs) ? fs.readdirSync(runs).map((name) => runFolderAt(path.join(runs, name))) : [];
  return {
    context,
    problems,
    watch,
    register: { dataFolder: root },
    agent: (options: TestOptions) => testAgent({ register: { dataFolder: root }, newId: undefined, ...options }),
    folders,
    records: (): RunRecord[] =>
      folders().flatMap((folder) => {
        try {
          return [readShownRecord(folder)];
        } catch {
          return []; // It is just being made.
        }
      }),
    said: () =>
      folders().flatMap(({ audit }) => {
        const file = path.join(audit, CONVERSATION_FILE);
        const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
        return lines.flatMap((line) => {
          const { type, data } = JSON.parse(line) as FcmpMessage;
          const { text } = data as { text: string };
          return type === 'user.message' || type === 'assistant.message.final' ? [text] : [];
        });
      }),
  };
}

const statusOf = (records: readonly RunRecord[]) => records.map(({ status, attempt }) => `${status} ${attempt}`);

describe('runs of registered agents', () => {
  test('are followed live, and sealed with their real status', async () => {
    const { agent, watch, records, said, folders, context, problems } = home();
    watch();
    const [first, second] = [signalOf(), signalOf()];
    const run = agent({
      script: [
        [say('I look.'), wait(() => first.promise), call('look', {})],
        [wait(() => second.promise), say('All is done.')],
      ],
      tools: recordedTools({ look: () => 'seen' }),
    }).agent.run('Look around.');
    await expect.poll(() => statusOf(records())).toEqual(['running 1']);
    expect(said()).toEqual(['Look around.']);
    first.resolve();
    await expect.poll(said).toEqual(['Look around.', 'I look.']);
    second.resolve();
    await run.result;
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 1']);
    await expect.poll(() => records()[0]!.live).toBeNull();
    expect(said()).toEqual(['Look around.', 'I look.', 'All is done.']);
    expect(records()[0]).toMatchObject({
      engine: 'agent',
      session_id: run.id,
      cwd: path.resolve(run.locator, '../../../..'),
      source: { kind: 'watched', path: run.locator },
      request: 'Look around.',
    });
    const [folder] = folders();
    expect(await verifyRun(folder!)).toMatchObject({ verdict: 'intact' });
    expect(await reparseAttempt(folder!, 1, openJournal(folder!, context.config))).toMatchObject({ identical: true });
    expect(problems).toEqual([]);
  });

  test('that failed or were cancelled say so', async () => {
    const { agent, watch, records } = home();
    await agent({
      script: (_, n) => call('look', { n }),
      tools: recordedTools({ look: () => 'x' }),
      budgets: { max_steps: 2 },
    }).agent.run('Fail.').result;
    const forever = signalOf();
    const canceled = agent({ script: [[say('Hm.'), wait(() => forever.promise)]] }).agent.run('Wait.');
    await canceled.cancel('enough');
    watch();
    await expect.poll(() => statusOf(records()).toSorted()).toEqual(['canceled 1', 'failed 1']);
  });

  test('that wait are shown waiting, are decided in their folder, and a resume is the next attempt', async () => {
    const { agent, watch, records, context, said } = home();
    watch();
    const options: TestOptions = {
      script: [call('act', { n: 1 }), say('Done.')],
      model: { position: 'prompt' },
      tools: recordedTools({ act: () => 'done' }, { act: { hasEffects: true } }),
      policy: policyOf(() => 'ask'),
      approvals: 'later',
    };
    const parts = agent(options);
    const { run_id } = await parts.agent.run('Act.').result;
    await expect.poll(() => statusOf(records())).toEqual(['waiting_user 1']);
    expect(records()[0]!.last).toMatchObject({ reason_code: 'APPROVAL_PENDING' });
    const store = new ApprovalStore(context.home);
    const [pending] = store.list({ status: 'pending' });
    expect(pending).toMatchObject({ approval_id: `${run_id}.a1`, details: { agent: { run_id } } });
    await decideApproval(parts.options.workspaceRoot, `${run_id}.a1`, 'approved', { by: 'Ada' });

    await new Agent({ ...parts.options }).resume(run_id).result;
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 2']);
    expect(said()).toEqual(['Act.', 'Done.']);
    expect(store.get(`${run_id}.a1`).status).toBe('approved');
  });

  test('that ask while they run wait for a decision and an answer, which may come from elsewhere', async () => {
    const { agent, watch, records, context, folders } = home();
    watch();
    const never = <T>() => new Promise<T>(() => {});
    const parts = agent({
      script: [call('act', {}), call('ask_human', { question: 'Which one?' }), say('Done.')],
      tools: [
        ...recordedTools({ act: () => 'done' }, { act: { hasEffects: true } }),
        ...builtinTools({ names: ['ask_human'] }),
      ],
      policy: policyOf(({ tool }) => (tool === 'act' ? 'ask' : 'allow')),
      approvals: { decide: () => never() },
      human: { ask: () => never() },
    });
    const run = parts.agent.run('Ask me.');
    await expect.poll(() => statusOf(records())).toEqual(['waiting_approval 1']);
    await decideApproval(parts.options.workspaceRoot, `${run.id}.a1`, 'approved');
    await expect.poll(() => statusOf(records())).toEqual(['waiting_user 1']);
    const { question, live } = records()[0]!;
    expect(live).not.toBeNull();
    expect(question).toMatchObject({ prompt: 'Which one?', questions: [{ text: 'Which one?' }] });
    const reply = { interaction_id: question!.interaction_id, text: 'the first' };
    expect(await acceptReply(folders()[0]!, reply, context)).toMatchObject({ attempt: 1 });
    expect((await run.result).status).toBe('completed');
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 1']);
    await expect(acceptReply(folders()[0]!, reply, context)).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  test('whose process is gone are failed, and continue when it is resumed', async () => {
    const { agent, watch, records, said } = home();
    const stuck = signalOf();
    const parts = agent({ script: [[say('I begin.'), wait(() => stuck.promise)], say('Done.')] });
    // As after kill -9: the log ends in the middle, and no process holds it.
    const run = parts.agent.run('Work.', { runId: 'cut' });
    for await (const event of run) if (event.type === 'llm_request_started') break;
    const folder = path.dirname(run.locator);
    const other = path.join(temporaryFolder(), 'other');
    fs.cpSync(path.resolve(folder, '../../..'), other, { recursive: true });
    fs.rmSync(path.join(parts.options.register!.dataFolder, 'agents'), { recursive: true });
    for (const name of fs.readdirSync(path.join(other, '.tacho/runs/cut')))
      if (name.startsWith('lock.')) fs.rmSync(path.join(other, '.tacho/runs/cut', name));
    const { registerRun } = await import('../../../src/agent/run/register.ts');
    const locator = path.join(other, '.tacho/runs/cut/events.jsonl');
    registerRun(parts.options.register!.dataFolder, { run_id: 'cut', workspace: other, locator });
    watch();
    await expect.poll(() => statusOf(records())).toEqual(['failed 1']);
    expect(records()[0]!.last).toMatchObject({ reason_code: 'ENGINE_ENDED_WITHOUT_TERMINAL_EVENT' });

    const again = agent({ script: ['Continued.'], workspaceRoot: other });
    expect((await again.agent.resume('cut').result).status).toBe('completed');
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 2']);
    expect(said()).toEqual(['Work.', 'Continued.']);
    stuck.resolve();
    await run.result;
  });

  test('are listed once, over servers that stop, and continue with the next attempt', async () => {
    const { agent, watch, records, said, context } = home();
    const first = watch();
    const [one, two] = [signalOf(), signalOf()];
    const parts = agent({
      script: [
        [say('One.'), wait(() => one.promise), call('look', {})],
        [say('Two.'), wait(() => two.promise), call('look', { n: 2 })],
        say('Three.'),
      ],
      tools: recordedTools({ look: () => 'seen' }),
    });
    const run = parts.agent.run('Count.');
    await expect.poll(() => statusOf(records())).toEqual(['running 1']);
    await first.close();
    expect(statusOf(records())).toEqual(['canceled 1']);
    one.resolve();
    await expect.poll(() => fs.readFileSync(run.locator, 'utf8')).toContain('"step":2');
    watch();
    await expect.poll(said).toEqual(['Count.', 'One.']);
    expect(statusOf(records())).toEqual(['running 2']);
    two.resolve();
    await run.result;
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 2']);
    expect(said()).toEqual(['Count.', 'One.', 'Two.', 'Three.']);
    expect((await recoverLostRuns(context)).failed).toEqual([]);
  });

  test('that wait for a decision still do after the server stopped', async () => {
    const { agent, watch, records, context } = home();
    const first = watch();
    const never = <T>() => new Promise<T>(() => {});
    const parts = agent({
      script: [call('act', {}), say('Done.')],
      tools: recordedTools({ act: () => 'done' }, { act: { hasEffects: true } }),
      policy: policyOf(() => 'ask'),
      approvals: { decide: () => never() },
    });
    const run = parts.agent.run('Act.');
    await expect.poll(() => statusOf(records())).toEqual(['waiting_approval 1']);
    await first.close();
    expect(statusOf(records())).toEqual(['waiting_user 1']);
    expect(new ApprovalStore(context.home).list({ status: 'pending' })).toHaveLength(1);
    watch();
    await decideApproval(parts.options.workspaceRoot, `${run.id}.a1`, 'approved');
    await run.result;
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 2']);
  });

  test('of the same name in different workspaces are different runs', async () => {
    const { agent, watch, records } = home();
    watch();
    for (const answer of ['One.', 'Two.'])
      await agent({ script: [answer] }).agent.run('Go.', { runId: 'nightly' }).result;
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 1', 'succeeded 1']);
  });

  test('leave out child agents, and forks that no one has continued', async () => {
    const { agent, watch, records } = home();
    watch();
    const parent = agent({ script: ['Done.'] });
    const run = parent.agent.run('Lead.');
    await run.result;
    const { workspaceRoot } = parent.options;
    await agent({ script: ['Done.'], workspaceRoot }).agent.run('Help.', { parent: { run, callId: 'c1' } }).result;
    const { registerRun } = await import('../../../src/agent/run/register.ts');
    const fork = await parent.agent.fork(run.id, { at: 3, into: path.join(temporaryFolder(), 'fork') });
    const { dataFolder } = parent.options.register!;
    registerRun(dataFolder, { run_id: fork.runId, workspace: fork.workspaceRoot, locator: fork.locator });
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 1']);
    const { agent: other } = agent({ script: ['Forked.'], workspaceRoot: fork.workspaceRoot });
    await other.resume(fork.runId).result;
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 1', 'succeeded 1']);
    const shown = records().find(({ session_id }) => session_id === fork.runId);
    expect(shown).toMatchObject({ cwd: fork.workspaceRoot });
  });

  test('are reported and skipped if they are not what they should be', async () => {
    const { agent, watch, records, problems, register } = home();
    const folder = path.join(register.dataFolder, 'agents');
    const { result } = agent({ script: ['Done.'] }).agent.run('Go.', { runId: 'good' });
    const { wal_locator } = await result;
    const other = fs.realpathSync(temporaryFolder());
    const entry = (run_id: string, locator = path.join(other, '.tacho/runs', run_id, 'events.jsonl')) =>
      fs.writeFileSync(
        path.join(folder, `${run_id}.json`),
        JSON.stringify({
          format: 'tacho-agent-run/1',
          run_id,
          workspace: other,
          locator,
          registered_at: new Date().toISOString(),
        }),
      );
    entry('elsewhere', '/etc/passwd');
    entry('gone');
    entry('linked');
    fs.mkdirSync(path.join(other, '.tacho'), { recursive: true });
    fs.symlinkSync(path.resolve(wal_locator, '../..'), path.join(other, '.tacho/runs'));
    fs.renameSync(path.resolve(wal_locator, '..'), path.resolve(wal_locator, '../../linked'));
    fs.cpSync(path.resolve(wal_locator, '../../linked'), path.resolve(wal_locator, '..'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'nonsense.json'), '{');
    fs.mkdirSync(path.join(folder, 'folder.json'));
    watch();
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 1']);
    await expect.poll(() => problems.join('\n')).toMatch(/cannot be \/etc\/passwd/);
    await expect.poll(() => problems.join('\n')).toMatch(/behind a link/);
    expect(records()).toHaveLength(1);
  });

  test('a question of a run that waits is answered for its next process', async () => {
    const { agent, watch, records, context, folders } = home();
    watch();
    const parts = agent({
      script: [call('ask_human', { question: 'Which one?' }), say('Done.')],
      model: { position: 'prompt' },
      tools: builtinTools({ names: ['ask_human'] }),
      human: 'later',
    });
    const { run_id } = await parts.agent.run('Ask me.').result;
    await expect.poll(() => statusOf(records())).toEqual(['waiting_user 1']);
    await expect.poll(() => records()[0]!.live).toBeNull();
    const { question } = records()[0]!;
    const reply = { interaction_id: question!.interaction_id, text: 'the first' };
    expect(await acceptReply(folders()[0]!, reply, context)).toMatchObject({ attempt: 2 });
    await expect(answerQuestion(parts.options.workspaceRoot, `${run_id}.q1`, {})).rejects.toThrow();
    expect(statusOf(records())).toEqual(['waiting_user 1']);
    await new Agent({ ...parts.options }).resume(run_id).result;
    await expect.poll(() => statusOf(records())).toEqual(['succeeded 2']);
  });
});
