import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { RegisteredAgents } from '../../../src/runs/index.ts';
import { sandbox, temporaryFolder } from '../../support/tacho.ts';

const LONG_AGO = '2026-01-01T00:00:00.000Z';

/** Registers a run; its log is made unless it is to be missing. */
function register(root: string, run_id: string, { hasLog = true, registered_at = LONG_AGO } = {}): string {
  const workspace = fs.realpathSync(temporaryFolder());
  const locator = path.join(workspace, '.tacho/runs', run_id, 'events.jsonl');
  if (hasLog) {
    fs.mkdirSync(path.dirname(locator), { recursive: true });
    fs.writeFileSync(locator, '');
  }
  const folder = path.join(root, 'agents');
  fs.mkdirSync(folder, { recursive: true });
  const content = { format: 'tacho-agent-run/1', run_id, workspace, locator, registered_at };
  fs.writeFileSync(path.join(folder, `${run_id}.json`), JSON.stringify(content));
  return locator;
}

describe('registered agents', () => {
  test('are removed when their logs are gone, except those that have just begun', () => {
    const root = temporaryFolder();
    register(root, 'there');
    register(root, 'gone', { hasLog: false });
    register(root, 'young', { hasLog: false, registered_at: new Date().toISOString() });
    const agents = new RegisteredAgents({ root });
    expect(agents.removeStale({ dryRun: true })).toBe(1);
    expect(agents.list()).toHaveLength(3);
    expect(agents.removeStale()).toBe(1);
    expect(agents.list().map(({ run_id }) => run_id)).toEqual(['there', 'young']);
  });

  test('are read again only when they change, and problems are reported once', () => {
    const root = temporaryFolder();
    register(root, 'one');
    const problems: string[] = [];
    const agents = new RegisteredAgents({ root }, { onProblem: (_, file) => void problems.push(path.basename(file)) });
    expect(new RegisteredAgents({ root: temporaryFolder() }).list()).toEqual([]);
    const [first] = agents.list();
    fs.writeFileSync(path.join(root, 'agents', 'broken.json'), '{"format":"tacho-agent-run/2"}');
    fs.symlinkSync(path.join(root, 'agents', 'one.json'), path.join(root, 'agents', 'link.json'));
    expect(agents.list()).toEqual([first]);
    expect(agents.list()[0]).toBe(first);
    expect(problems.toSorted()).toEqual(['broken.json', 'link.json']);
    fs.utimesSync(first!.file, new Date(), new Date(1));
    expect(agents.list()[0]).not.toBe(first);
  });

  test('whose logs are gone are removed by tacho prune', async () => {
    const box = sandbox();
    register(box.home, 'gone', { hasLog: false });
    const { stdout } = await box.tacho(['prune', '--keep', '1', '--dry-run']);
    expect(stdout).toContain('1 registration of agent runs that are gone would be removed');
    expect(await box.json(['prune', '--keep', '1'])).toMatchObject({ agents: 1 });
    expect(fs.readdirSync(path.join(box.home, 'agents'))).toEqual([]);
  });
});
