import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../../src/agent/agent.ts';
import { call, type ScriptStep, say } from '../../../src/agent/models/script.ts';
import { scriptedModel } from '../../../src/agent/models/scripted-model.ts';
import type { AgentOptions } from '../../../src/agent/options.ts';
import type { ToolResult } from '../../../src/protocol/index.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { policyOf } from '../../support/agent.ts';
import { processesWith, temporaryFolder, until } from '../../support/tacho.ts';

const RUN = 'run-contained';

/** An agent whose policy allows everything: what holds here holds without one. */
function agentFor(workspaceRoot: string, profile: 'none' | 'balanced', turns: ScriptStep[]): Agent {
  const options: AgentOptions = {
    workspaceRoot,
    model: scriptedModel([turns, say('Done.')]),
    tools: builtinTools(),
    policy: policyOf(() => 'allow'),
    sandbox: { profile, path: process.env.PATH },
    approvals: 'later',
  };
  return new Agent(options);
}

async function resultsOf(agent: Agent): Promise<{ results: Map<string, ToolResult>; status: string }> {
  const results = new Map<string, ToolResult>();
  const run = agent.run('Try', { runId: RUN });
  for await (const { type, data } of run) {
    if (type !== 'tool_call_finished') continue;
    const { call_id, result } = data as { call_id: string; result: ToolResult };
    results.set(call_id, result);
  }
  return { results, status: (await run.result).status };
}

describe('log, vault, approvals and policy', () => {
  /** An earlier run, whose files are to stay as they are. */
  function victim(): { workspace: string; kept: Record<string, string>; folder: string } {
    const workspace = fs.realpathSync(temporaryFolder());
    const folder = path.join(workspace, '.tacho/runs/victim');
    fs.mkdirSync(path.join(folder, 'approvals'), { recursive: true });
    fs.mkdirSync(path.join(workspace, 'config'));
    fs.mkdirSync(path.join(workspace, 'sub'));
    const kept = {
      [path.join(folder, 'events.jsonl')]: 'SECRET-LOG\n',
      [path.join(folder, 'vault')]: 'SECRET-VAULT\n',
      [path.join(folder, 'approvals/victim.a1.request.json')]: 'SECRET-APPROVAL\n',
      [path.join(workspace, 'config/tacho.yaml')]: 'safety: {}\n',
      [path.join(workspace, '.env')]: 'KEY=value\n',
    };
    for (const [file, text] of Object.entries(kept)) fs.writeFileSync(file, text);
    fs.symlinkSync('.tacho', path.join(workspace, 'link'));
    fs.symlinkSync(path.join(folder, 'vault'), path.join(workspace, 'sub/file-link'));
    fs.symlinkSync('/', path.join(workspace, 'root-link'));
    return { workspace, kept, folder };
  }

  function expectKept(kept: Record<string, string>): void {
    for (const [file, text] of Object.entries(kept)) expect(fs.readFileSync(file, 'utf8'), file).toBe(text);
  }

  it('are out of reach for tools, whatever the path', async () => {
    const { workspace, kept, folder } = victim();
    const vaults = [
      '.tacho/runs/victim/vault',
      './sub/../.tacho//runs/./victim/vault',
      path.join(folder, 'vault'),
      'link/runs/victim/vault',
      'sub/file-link',
      `root-link${folder}/vault`,
      '/proc/self/cwd/.tacho/runs/victim/vault',
      `/proc/self/root${folder}/vault`,
      `../${path.basename(workspace)}/.tacho/runs/victim/vault`,
    ];
    const patch = (file: string) => `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-SECRET-VAULT\n+CHANGED\n`;
    const steps = vaults.flatMap((file, n) => [
      call('file_read', { path: file }, { id: `read ${n}` }),
      call('file_write', { path: file, content: 'CHANGED' }, { id: `write ${n}` }),
      call('apply_patch', { patch: patch(file) }, { id: `patch ${n}` }),
      call('list_dir', { path: path.dirname(file) }, { id: `list ${n}` }),
      call('grep_files', { pattern: 'SECRET', path: file }, { id: `grep ${n}` }),
    ]);
    const settings = ['config/tacho.yaml', '.env', 'sub/../config/tacho.yaml', '.tacho/runs/victim/approvals/x.json'];
    const writes = settings.map((file, n) => call('file_write', { path: file, content: 'x' }, { id: `set ${n}` }));
    const all = [...steps, ...writes, call('grep_files', { pattern: 'SECRET' }, { id: 'grep all' })];
    const { results, status } = await resultsOf(agentFor(workspace, 'none', all));
    expect(status).toBe('completed');
    expect(results.size).toBe(all.length);
    for (const [id, { ok, stdout, stderr, data }] of results) {
      if (/^(read|write|patch|set)/.test(id)) expect(ok, id).toBe(false);
      expect(`${stdout}${stderr}${JSON.stringify(data)}`, id).not.toMatch(/SECRET-(LOG|VAULT|APPROVAL)/);
    }
    expectKept(kept);
    expect(fs.existsSync(path.join(folder, 'approvals/x.json'))).toBe(false);
  });

  it('are out of reach for commands in the sandbox', async () => {
    const { workspace, kept, folder } = victim();
    const commands = [
      'cat .tacho/runs/victim/vault link/runs/victim/vault sub/file-link',
      `cat ${folder}/* /proc/self/root${folder}/vault /proc/1/root${folder}/vault`,
      'find . -type f -exec cat {} +',
      'ln .tacho/runs/victim/vault copy && cat copy',
      'echo x > .tacho/runs/victim/vault; echo x >> .tacho/runs/victim/events.jsonl',
      'echo x > .tacho/runs/victim/approvals/victim.a1.decision.json',
      'rm -rf .tacho/runs/victim; mv .tacho elsewhere && cat elsewhere/runs/victim/vault',
      'umount .tacho; mount --bind / sub; cat sub/etc/shadow',
      'echo x > config/tacho.yaml; echo x > .env; rm -f config/tacho.yaml .env; mv config other',
      `cat .tacho/runs/${RUN}/vault .tacho/runs/${RUN}/events.jsonl; tar cf - .tacho | strings`,
    ];
    const steps = commands.map((command, n) => call('shell_command', { command }, { id: `command ${n}` }));
    const { results, status } = await resultsOf(agentFor(workspace, 'balanced', steps));
    expect(status).toBe('completed');
    expect([...results.values()].map(({ error_kind }) => error_kind)).not.toContain('sandbox_denied');
    for (const [id, { stdout, stderr }] of results) {
      expect(`${stdout}${stderr}`, id).not.toMatch(/SECRET-(LOG|VAULT|APPROVAL)|protocol_version/);
    }
    expectKept(kept);
    expect(fs.readdirSync(path.join(folder, 'approvals'))).toEqual(['victim.a1.request.json']);
  });
});

describe('cancel', () => {
  it.each(['none', 'balanced'] as const)(
    'leaves no process of a command behind, with the profile %s',
    async (profile) => {
      const workspace = fs.realpathSync(temporaryFolder());
      const mark = `mark-${process.pid}-${profile}`;
      fs.writeFileSync(path.join(workspace, mark), '');
      const command = [
        `trap '' TERM INT HUP`,
        `tail -f ${mark} &`,
        `setsid tail -f ${mark} &`,
        `(setsid sh -c 'trap "" TERM; (setsid tail -f ${mark}) & exit' &)`,
        `nohup setsid sh -c 'while :; do tail -f ${mark}; done' > /dev/null 2>&1 &`,
        'sleep 0.3; echo > ready; wait',
      ].join('\n');
      const agent = agentFor(workspace, profile, [call('shell_command', { command })]);
      const run = agent.run('Wait', { runId: RUN });
      await until(() => fs.existsSync(path.join(workspace, 'ready')));
      expect(processesWith(mark).length).toBeGreaterThanOrEqual(4);
      await run.cancel('enough');
      expect(processesWith(mark)).toEqual([]);
      expect(await run.result).toMatchObject({ status: 'cancelled', reason: 'enough' });
    },
  );
});
