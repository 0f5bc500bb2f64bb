import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { decideApproval } from '../../../src/agent/pending/index.ts';
import { processesWith, until } from '../../support/tacho.ts';
import { isRunning } from '../../terminal/run-terminal.ts';
import { startTacho } from '../runtime/daemon.ts';
import { carriedOut, childOf, childPlace, PARENT, resultsOf, spawn, untilThere, waitFor } from './child-place.ts';

const append = (line: string) => call('shell_command', { command: `echo ${line} >> lines.txt` });

it('a parent gets the answer of a child, which is charged to it', async () => {
  const place = childPlace();
  const child = place.script('child.json', [append('one'), 'Wrote a line.']);
  const { result, events } = await carriedOut(
    place.parent([spawn(child), waitFor(childOf(1)), say('The child wrote a line.')]),
  );
  expect(result).toMatchObject({ status: 'completed', text: 'The child wrote a line.' });
  expect(resultsOf(events)[1]!.stdout).toBe(`${childOf(1)}: completed\nWrote a line.\n`);
  expect(fs.readFileSync(path.join(place.workspace, 'lines.txt'), 'utf8')).toBe('one\n');
  expect(events.filter(({ type }) => type === 'child_charged').at(-1)!.data).toMatchObject({
    run_id: childOf(1),
    steps: 2,
  });
  const [started] = await place.events(childOf(1));
  expect(started).toMatchObject({ data: { parent: { run_id: PARENT, call_id: 'spawn' } } });
  await expect.poll(() => place.daemon.client().call('runtime.status', {})).toMatchObject({ children: { active: 0 } });
});

it('more children than max_agents are refused', async () => {
  const place = childPlace({ config: { runtime: { max_agents: 1 } } });
  const waiting = place.script('waiting.json', [untilThere('go.txt'), 'Done.']);
  const child = place.script('child.json', ['Done.']);
  const turns = [
    [spawn(waiting, { id: 'a' }), spawn(child, { id: 'b' })],
    call('shell_command', { command: 'echo > go.txt' }),
    waitFor(childOf(1, 'a')),
    spawn(child, { id: 'c' }),
    waitFor(childOf(4, 'c')),
    say('Done.'),
  ];
  const { events } = await carriedOut(place.parent(turns));
  expect(resultsOf(events).map(({ ok, data }) => ok || (data as { code: string }).code)).toEqual([
    ...[true, 'AGENT_LIMIT_REACHED'],
    ...[true, true, true, true],
  ]);
  expect(await place.facts(childOf(4, 'c'))).toMatchObject({ status: 'completed' });
});

it('children deeper than max_agent_depth are refused', async () => {
  const place = childPlace({ config: { runtime: { max_agent_depth: 1 } } });
  const leaf = place.script('leaf.json', ['Never said.']);
  const child = place.script('child.json', [spawn(leaf), 'I have to do it myself.']);
  const { events } = await carriedOut(place.parent([spawn(child), waitFor(childOf(1)), say('Done.')]));
  expect(resultsOf(events)[1]!.stdout).toContain('completed\nI have to do it myself.');
  const [refused] = resultsOf(await place.events(childOf(1)));
  expect(refused).toMatchObject({ error_kind: 'not_permitted', data: { code: 'AGENT_TOO_DEEP' } });
});

it('the steps of all runs of a tree count against the budget of its first run', async () => {
  const place = childPlace();
  // Each step differs from the one before, so that only the budget ends them.
  const steps = Array.from({ length: 60 }, (_, n) => {
    return call('update_plan', { plan: [{ step: `Part ${n}`, status: 'pending' }] });
  });
  const child = place.script('child.json', [untilThere('go.txt'), ...steps, 'Never said.']);
  const above = place.script('above.json', [spawn(child), untilThere('go.txt'), ...steps, 'Never said.']);
  const ids = ['a', 'b', 'c'].map((id) => childOf(1, id));
  const all = [...ids, childOf(1, 'spawn', ids[2]!)];
  const turns = async (_: unknown, n: number) => {
    if (n === 0) return [spawn(child, { id: 'a' }), spawn(child, { id: 'b' }), spawn(above, { id: 'c' })];
    if (n > 1) return waitFor(ids[n - 2]!);
    await expect.poll(async () => (await place.facts(all[3]!))?.status).toBe('running');
    return call('shell_command', { command: 'echo > go.txt' });
  };
  const { result, events } = await carriedOut(place.parent(turns, { budgets: { max_steps: 40 } }));
  await expect.poll(async () => (await place.daemon.client().call('runtime.status', {})).children.active).toBe(0);
  const facts = await Promise.all(all.map((id) => place.facts(id)));
  const used = facts.map((fact) => fact.used.steps);
  const total = result.steps + used.reduce((sum, own) => sum + own, 0);
  expect(total, JSON.stringify(used)).toBeGreaterThanOrEqual(40);
  expect(total, JSON.stringify(used)).toBeLessThanOrEqual(40 + all.length);
  const exhausted = events.filter(({ type }) => type === 'budget_exhausted');
  expect(result).toMatchObject({ status: 'failed', reason: 'budget_exhausted' });
  expect(exhausted).toMatchObject([{ data: { budget: 'steps', limit: 40 } }]);
  for (const id of all) {
    const own = (await place.events(id)).find(({ type }) => type === 'budget_exhausted' || type === 'close_requested');
    expect(own, id).toBeDefined();
  }
});

it('a child that is closed in the middle of a tool call leaves no process, and can be resumed', async () => {
  const place = childPlace();
  const mark = `mark-${process.pid}-${Date.now()}`;
  const child = place.script('child.json', [untilThere('never.txt', mark), append('after'), 'Done after all.']);
  const agent_id = childOf(1);
  const turns = async (_: unknown, n: number) => {
    if (n === 0) return spawn(child);
    if (n === 1) {
      await until(() => processesWith(mark).length > 0);
      return call('close_agent', { agent_id });
    }
    if (n === 2) {
      expect(processesWith(mark)).toEqual([]);
      return call('resume_agent', { agent_id });
    }
    return n === 3 ? waitFor(agent_id) : 'Done.';
  };
  const { events } = await carriedOut(place.parent(turns));
  expect(resultsOf(events).map(({ stdout }) => stdout)).toEqual([
    `${agent_id}: running\n`,
    `${agent_id}: closed\nits parent closed it\n`,
    `${agent_id}: running\n`,
    `${agent_id}: completed\nDone after all.\n`,
  ]);
  const own = await place.events(agent_id);
  expect(resultsOf(own).map(({ error_kind }) => error_kind)).toEqual(['cancelled', null]);
  expect(fs.readFileSync(path.join(place.workspace, 'lines.txt'), 'utf8')).toBe('after\n');
});

it('a parent that ends closes its children', async () => {
  const place = childPlace();
  const mark = `mark-${process.pid}-${Date.now()}`;
  const child = place.script('child.json', [untilThere('never.txt', mark), 'Never said.']);
  const turns = async (_: unknown, n: number) => {
    if (n === 0) return spawn(child);
    await until(() => processesWith(mark).length > 0);
    return 'Done.';
  };
  const { result } = await carriedOut(place.parent(turns));
  expect(result.status).toBe('completed');
  expect(processesWith(mark)).toEqual([]);
  expect(await place.facts(childOf(1))).toMatchObject({ status: 'closed', text: 'its parent has ended' });
});

it('cleanup closes the children that run, and says how many', async () => {
  const place = childPlace();
  const mark = `mark-${process.pid}-${Date.now()}`;
  const child = place.script('child.json', [untilThere('never.txt', mark), 'Never said.']);
  const client = place.daemon.client();
  const spawned = await Promise.all(
    ['a', 'b'].map((id) => client.call('agent.spawn', { task: 'Wait.', agent_id: `run-${id}`, model: child })),
  );
  await until(() => processesWith(mark).length >= 2);
  expect(await client.call('runtime.status', {})).toMatchObject({ children: { active: 2, waiting: 0, max: 32 } });
  expect(await client.call('runtime.cleanup', {})).toEqual({ sessions: 0, children: 2 });
  expect(processesWith(mark)).toEqual([]);
  expect(await client.call('runtime.status', {})).toMatchObject({ children: { active: 0 }, registry: { entries: 0 } });
  for (const { agent_id } of spawned) expect(await place.facts(agent_id)).toMatchObject({ status: 'closed' });
});

it('a daemon with a child does not exit when it is idle, and exits afterwards', async () => {
  const place = childPlace();
  const child = place.script('child.json', [untilThere('go.txt'), 'Done.']);
  const client = place.daemon.client({ idleMs: 200 });
  await client.call('agent.spawn', { task: 'Wait.', agent_id: 'run-a', model: child });
  const { pid } = place.daemon.serverFile();
  const uptime = async () => (await client.call('system.stats', {})).uptime_ms;
  const begun = await uptime();
  // Status queries are not activity.
  await expect.poll(uptime).toBeGreaterThan(begun + 2000);
  expect(place.daemon.serverFile().pid).toBe(pid);
  client.close();
  fs.writeFileSync(path.join(place.workspace, 'go.txt'), '');
  await until(() => !isRunning(pid));
  expect(await place.facts('run-a')).toMatchObject({ status: 'completed' });
});

it('a child that waits for an approval continues when it was decided, and its parent with it', async () => {
  const place = childPlace({ config: { safety: { rules: [{ decision: 'ask', command: ['echo'] }] } } });
  const child = place.script('child.json', [append('one'), 'Approved.']);
  const agent_id = childOf(1);
  const turns = async (_: unknown, n: number) => {
    if (n === 0) return spawn(child);
    if (n === 1) {
      const status = () => place.daemon.client().call('runtime.status', {});
      await expect.poll(status).toMatchObject({ children: { active: 0, waiting: 1 } });
      return call('wait', { agent_ids: [agent_id], timeout_ms: 0 });
    }
    if (n > 2) return 'Done.';
    await decideApproval(place.workspace, `${agent_id}.a1`, 'approved');
    return waitFor(agent_id);
  };
  const { events } = await carriedOut(place.parent(turns));
  expect(resultsOf(events).map(({ stdout }) => stdout)).toEqual([
    `${agent_id}: running\n`,
    `${agent_id}: waiting\nwaiting for approval ${agent_id}.a1: echo one >> lines.txt\n`,
    `${agent_id}: completed\nApproved.\n`,
  ]);
  await place.events(agent_id);
});

it('a daemon that dies leaves children that can be resumed, and no process', async () => {
  const place = childPlace();
  const mark = `mark-${process.pid}-${Date.now()}`;
  const child = place.script('child.json', [untilThere('go.txt', mark), 'Done after all.']);
  const agent_id = childOf(1);
  const turns = async (_: unknown, n: number) => {
    if (n === 0) return spawn(child);
    if (n === 1) {
      await until(() => processesWith(mark).length > 0);
      await place.daemon.crash();
      return waitFor(agent_id);
    }
    if (n === 2) {
      expect(processesWith(mark)).toEqual([]);
      fs.writeFileSync(path.join(place.workspace, 'go.txt'), 'gone\n');
      return call('resume_agent', { agent_id });
    }
    return n === 3 ? waitFor(agent_id) : 'Done.';
  };
  const { events } = await carriedOut(place.parent(turns));
  expect(resultsOf(events).map(({ stdout }) => stdout)).toEqual([
    `${agent_id}: running\n`,
    `${agent_id}: interrupted\nits process died; resume_agent continues it\n`,
    `${agent_id}: running\n`,
    `${agent_id}: completed\nDone after all.\n`,
  ]);
  const own = await place.events(agent_id);
  expect(resultsOf(own)).toMatchObject([{ error_kind: 'unknown_outcome' }]);
});

it('what a child is given is in no file', async () => {
  const place = childPlace();
  const secret = `s3cret-${process.pid}-${Date.now()}`;
  const child = place.script('child.json', [
    call('shell_command', { command: 'printenv DEPLOY_TOKEN; printenv PLAIN_SETTING' }),
    'Done.',
  ]);
  const env = { DEPLOY_TOKEN: secret, PLAIN_SETTING: 'plain' };
  const { result } = await carriedOut(place.parent([spawn(child), waitFor(childOf(1)), say('Done.')], { env }));
  expect(result.status).toBe('completed');
  await place.daemon.client().call('runtime.status', {});
  for (const root of [place.workspace, place.home]) {
    for (const name of fs.readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(root, name);
      if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
      expect(fs.readFileSync(file, 'latin1').includes(secret), file).toBe(false);
    }
  }
});

it('a child that is killed in the middle of a tool call leaves no process, and can be resumed', async () => {
  const place = childPlace();
  const mark = `mark-${process.pid}-${Date.now()}`;
  const child = place.script('child.json', [untilThere('go.txt', mark), 'Done after all.']);
  const client = place.daemon.client();
  await client.call('agent.spawn', { task: 'Wait.', agent_id: 'run-a', model: child });
  await until(() => processesWith(mark).length > 0);
  const registry = fs.readFileSync(path.join(place.daemon.folder, 'exec_registry.json'), 'utf8').trim().split('\n');
  const { runs } = JSON.parse(registry.at(-1)!) as { runs: { session_id: string; pid: number } };
  expect(runs.session_id).toBe('run-a');
  process.kill(runs.pid, 'SIGKILL');
  const wait = () => client.call('agent.wait', { agent_ids: ['run-a'], timeout_ms: 60_000 });
  expect(await wait()).toMatchObject({ agents: [{ status: 'interrupted' }] });
  expect(processesWith(mark)).toEqual([]);
  fs.writeFileSync(path.join(place.workspace, 'go.txt'), '');
  await client.call('agent.resume', { agent_id: 'run-a' });
  expect(await wait()).toMatchObject({ agents: [{ status: 'completed', text: 'Done after all.' }] });
  expect(resultsOf(await place.events('run-a'))).toMatchObject([{ error_kind: 'unknown_outcome' }]);
});

it('agents are reached over HTTP as over the socket, and refused with the same codes', async () => {
  const place = childPlace();
  place.script('child.json', ['Done.']);
  const token = 'a-token-of-this-test';
  const daemon = startTacho(['runtime', 'serve', '--workspace', place.workspace, '--http', '127.0.0.1:0', '--json'], {
    env: { TACHO_HOME: place.home, TACHO_RUNTIME_TOKEN: token },
  });
  onTestFinished(() => void daemon.kill());
  const [line] = await once(daemon.stdout!, 'data');
  const { url } = JSON.parse(String(line)) as { url: string };
  const rpc = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(`${url}/rpc`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
    return (await answer.json()) as { result?: unknown; error?: { data: { code: string } } };
  };
  const spawned = await rpc('agent.spawn', { task: 'Say it.', agent_id: 'run-a', model: 'child.json' });
  expect(spawned).toMatchObject({ result: { agent_id: 'run-a', parent_id: null, status: 'running' } });
  const wait = { agent_ids: ['run-a'], timeout_ms: 60_000 };
  expect(await rpc('agent.wait', wait)).toMatchObject({ result: { agents: [{ status: 'completed', text: 'Done.' }] } });
  const codeOf = async (method: string, params: object) => (await rpc(method, params)).error?.data.code;
  expect(await codeOf('agent.close', { agent_id: 'run-b' })).toBe('AGENT_NOT_FOUND');
  expect(await codeOf('agent.close', { agent_id: 'run-a', parent_id: 'run-c' })).toBe('AGENT_NOT_FOUND');
  expect(await codeOf('agent.resume', { agent_id: 'run-a' })).toBe('AGENT_NOT_RUNNING');
  expect(await codeOf('agent.spawn', { task: 'Say it.', agent_id: '../a' })).toBe('INVALID_PARAMS');
  expect(await codeOf('agent.spawn', { task: 'Say it.', model: 'missing.json' })).toBe('CONFIG_INVALID');
});
