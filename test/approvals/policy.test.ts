import { describe, expect, test } from 'vitest';
import type { PolicyRule, ToolAction } from '../../src/protocol/index.ts';
import { HOME, judgeLine, policyWith, WORKSPACE } from './judge.ts';

const allow = (...command: (string | string[])[]): PolicyRule => ({ decision: 'allow', command });
const ask = (...command: (string | string[])[]): PolicyRule => ({ decision: 'ask', command });
const deny = (...command: (string | string[])[]): PolicyRule => ({ decision: 'deny', command });

describe('rules about commands', () => {
  test('the strictest of all rules and parts decides, in any order', async () => {
    const rules = [deny('git', 'push'), allow('git'), ask('git', 'commit')];
    for (const order of [rules, [...rules].reverse()]) {
      const policy = await policyWith({ rules: order });
      expect(judgeLine(policy, 'git fetch').decision).toBe('allow');
      expect(judgeLine(policy, 'git commit -m x').decision).toBe('ask');
      expect(judgeLine(policy, 'git push')).toMatchObject({ decision: 'deny', rule: order.indexOf(rules[0]!) });
      expect(judgeLine(policy, 'git fetch && git commit -m x').decision).toBe('ask');
      expect(judgeLine(policy, 'git fetch && git push | cat').decision).toBe('deny');
    }
  });

  test('a rule that allows matches only the literal first words', async () => {
    const policy = await policyWith({ rules: [allow('npm', ['test', 't']), allow('make', 'build')] });
    for (const line of ['npm test', 'npm t', 'npm test -- -u', '/usr/bin/npm test', 'n"p"m test', 'make build $(ls)']) {
      expect([line, judgeLine(policy, line).decision]).toEqual([line, 'allow']);
    }
    for (const line of ['npm tests', 'npm -g test', './npm test', 'npm $X', 'npm "$@"', 'npm te*', 'npm run test']) {
      expect([line, judgeLine(policy, line).decision]).toEqual([line, 'ask']);
    }
  });

  test('a rule that denies matches however the command is written', async () => {
    const rules = [deny('git', 'push', '--force'), deny('rm', '-rf'), deny('npm', 'publish'), deny('curl')];
    const policy = await policyWith({ rules: [...rules, allow('git'), allow('rm'), allow('npm'), allow('curl')] });
    const denied = [
      ...[
        'git push --force',
        'git push origin --force',
        'git push --force=x',
        'git push --forc',
        'git -C x push --force',
      ],
      ...['git -c a=b push origin main --force', 'git --no-pager push --force', 'git --force push'],
      ...['rm -rf x', 'rm -fr x', 'rm -r -f x', 'rm x -r -f', 'rm --recursive --force x', 'rm -f --recursive x'],
      ...['npm publish', 'npm --tag x publish', 'npm --prefix x publish', '/opt/bin/curl x', './curl x', 'env curl x'],
    ];
    const wrong = denied.filter((line) => judgeLine(policy, line).decision !== 'deny');
    expect(wrong).toEqual([]);
    for (const line of ['git push', 'rm -r x', 'rm -f x', 'npm pack', 'git commit -m push']) {
      expect([line, judgeLine(policy, line).decision]).toEqual([line, 'allow']);
    }
  });

  test('a rule about a wrapper applies to it, and to nothing that it starts', async () => {
    const policy = await policyWith({ rules: [deny('timeout'), allow('bash'), allow('env')] });
    expect(judgeLine(policy, 'timeout 5 ls').decision).toBe('deny');
    expect(judgeLine(policy, "bash -c 'touch x'").decision).toBe('ask');
    expect(judgeLine(policy, 'env touch x').decision).toBe('ask');
    expect(judgeLine(policy, 'bash script.sh').decision).toBe('allow');
    expect(judgeLine(policy, 'bash -c "$X"').decision).toBe('ask');
  });

  test('the reason of a rule is shown', async () => {
    const policy = await policyWith({ rules: [{ ...deny('git', 'push'), reason: 'releases are made elsewhere' }] });
    expect(judgeLine(policy, 'git push').reason).toBe('releases are made elsewhere');
  });

  test('a default can allow or deny unknown commands, but not what is not understood', async () => {
    const open = await policyWith({ defaults: { command: 'allow' } });
    expect(judgeLine(open, 'make').decision).toBe('allow');
    expect(judgeLine(open, '$X').decision).toBe('ask');
    expect(judgeLine(open, 'make > x').decision).toBe('ask');
    const closed = await policyWith({ defaults: { command: 'deny' } });
    expect(judgeLine(closed, 'make').decision).toBe('deny');
    expect(judgeLine(closed, 'ls').decision).toBe('allow');
  });

  test('rules that were added later count as those of the user', async () => {
    const policy = await policyWith({ rules: [deny('make', 'install')] });
    const judge = (line: string, added: PolicyRule[]) =>
      policy.evaluate({ tool: 'x', actions: [{ kind: 'shell', line, cwd: WORKSPACE }], added });
    expect(judge('make test', []).decision).toBe('ask');
    expect(judge('make test', [allow('make')])).toMatchObject({ decision: 'allow', rule: 1 });
    expect(judge('make install', [allow('make')])).toMatchObject({ decision: 'deny', rule: 0 });
  });
});

describe('programs with arguments', () => {
  const judge = async (argv: string[], rules: PolicyRule[] = []) =>
    (await policyWith({ rules })).evaluate({ tool: 'x', actions: [{ kind: 'program', argv, cwd: WORKSPACE }] })
      .decision;

  test('are judged without a shell', async () => {
    expect(await judge(['cat', '$(touch x)'])).toBe('allow');
    expect(await judge(['ls', '>', 'x', ';', 'rm'])).toBe('allow');
    expect(await judge(['npm', 'test', '&&', 'rm'], [allow('npm', 'test')])).toBe('allow');
    expect(await judge(['rm', '-rf', '/'])).toBe('deny');
    expect(await judge(['touch', 'x'])).toBe('ask');
  });

  test('are looked through', async () => {
    expect(await judge(['bash', '-c', 'sudo id'])).toBe('deny');
    expect(await judge(['env', 'bash', '-c', 'ls && cat x'])).toBe('allow');
    expect(await judge(['sh', '-c', 'echo x > y'])).toBe('ask');
  });
});

describe('files', () => {
  const judge = async (action: ToolAction, options: Parameters<typeof policyWith>[0] = {}) =>
    (await policyWith(options)).evaluate({ tool: 'file_write', actions: [action] }).decision;
  const read = (path: string): ToolAction => ({ kind: 'read', path: `${WORKSPACE}/${path}` });
  const write = (path: string): ToolAction => ({ kind: 'write', path: `${WORKSPACE}/${path}` });

  test('of the workspace may be read, and changed if the default says so', async () => {
    expect(await judge(read('a/b'))).toBe('allow');
    expect(await judge(write('a/b'))).toBe('ask');
    expect(await judge(write('a/b'), { defaults: { write: 'allow' } })).toBe('allow');
    expect(await judge({ kind: 'delete', path: `${WORKSPACE}/a` }, { defaults: { write: 'allow' } })).toBe('allow');
    expect(await judge(write('a/b'), { defaults: { write: 'deny' } })).toBe('deny');
  });

  test('outside of the workspace are asked about', async () => {
    const defaults = { write: 'allow' } as const;
    expect(await judge({ kind: 'read', path: '/etc/passwd' })).toBe('ask');
    expect(await judge(read('../other'))).toBe('ask');
    expect(await judge({ kind: 'write', path: `${WORKSPACE}-other/x` }, { defaults })).toBe('ask');
    expect(
      await judge({ kind: 'read', path: '/etc/hosts' }, { rules: [{ decision: 'allow', path: '/etc/hosts' }] }),
    ).toBe('allow');
  });

  test('of tacho are denied, and those that other programs obey are asked about, whatever rules say', async () => {
    const options = {
      defaults: { write: 'allow', command: 'allow', tool: 'allow' },
      rules: [
        { decision: 'allow', path: '**' },
        { decision: 'allow', tool: '*' },
      ],
      protectedPaths: ['/data/tacho'],
    } satisfies Parameters<typeof policyWith>[0];
    for (const path of ['.tacho', '.tacho/runs/x', 'sub/.tacho/x', 'config/tacho.yaml']) {
      expect([path, await judge(write(path), options)]).toEqual([path, 'deny']);
    }
    expect(await judge(read('.tacho/runs/x/vault'), options)).toBe('deny');
    expect(await judge({ kind: 'read', path: '/data/tacho/token' }, options)).toBe('deny');
    expect(await judge({ kind: 'delete', path: WORKSPACE }, options)).toBe('deny');
    expect(await judge({ kind: 'delete', path: '/data' }, options)).toBe('deny');
    expect(await judge(read('.tacho/skills/x/SKILL.md'), options)).toBe('allow');
    for (const path of ['.git/hooks/pre-commit', '.git/config', 'sub/.git/hooks/x', '.envrc', '.vscode/tasks.json']) {
      expect([path, await judge(write(path), options)]).toEqual([path, 'ask']);
    }
    expect(await judge(write('.tacho/skills/x/SKILL.md'), options)).toBe('ask');
    expect(await judge(write('.git/index'), options)).toBe('allow');
  });

  test('are matched by patterns, below folders, by access', async () => {
    const rules: PolicyRule[] = [
      { decision: 'deny', path: 'secrets' },
      { decision: 'ask', path: '**/*.pem', access: 'read' },
      { decision: 'allow', path: 'build/*', access: 'write' },
      { decision: 'deny', path: '~/private/**' },
    ];
    expect(await judge(read('secrets/a/b'), { rules })).toBe('deny');
    expect(await judge(read('secrets'), { rules })).toBe('deny');
    expect(await judge(read('secrets2'), { rules })).toBe('allow');
    expect(await judge(read('a/b/key.pem'), { rules })).toBe('ask');
    expect(await judge(read('key.pem'), { rules })).toBe('ask');
    expect(await judge(write('build/x'), { rules })).toBe('allow');
    expect(await judge(write('build.x'), { rules })).toBe('ask');
    expect(await judge({ kind: 'read', path: `${HOME}/private/x` }, { rules })).toBe('deny');
  });

  test('that a command names are judged by rules about paths', async () => {
    const rules: PolicyRule[] = [
      { decision: 'deny', path: 'secrets/**' },
      allow('python'),
      allow('cat'),
      allow('tool'),
    ];
    const policy = await policyWith({ rules });
    const denied = ['cat secrets/a', 'cat ./secrets/a', 'cd src && cat ../secrets/a', 'python secrets/x.py'];
    for (const line of [...denied, 'tool --key=secrets/a', 'tool -ksecrets/a', 'cat < secrets/a', 'tool x:secrets/a']) {
      expect([line, judgeLine(policy, line).decision]).toEqual([line, 'deny']);
    }
    for (const line of ['cat s*/a', 'cat */a', 'rg key', 'grep -r key .', 'diff -r . ../project']) {
      expect([line, judgeLine(policy, line).decision]).toEqual([line, 'ask']);
    }
    expect(judgeLine(policy, 'cat src/a').decision).toBe('allow');
    expect(judgeLine(policy, 'rg key src').decision).toBe('allow');
    expect(judgeLine(policy, 'ls .').decision).toBe('allow');
  });

  test('that a redirection writes are changes', async () => {
    const policy = await policyWith({ defaults: { write: 'allow' } });
    expect(judgeLine(policy, 'echo x > out.txt').decision).toBe('allow');
    expect(judgeLine(policy, 'echo x > .git/hooks/x').decision).toBe('ask');
    expect(judgeLine(policy, 'echo x > ../out.txt').decision).toBe('ask');
    expect(judgeLine(policy, 'echo x > *.txt').decision).toBe('ask');
  });
});

describe('tools', () => {
  test('without actions are asked about if they have effects', async () => {
    const policy = await policyWith({
      rules: [
        { decision: 'deny', tool: 'mcp_*' },
        { decision: 'allow', tool: 'plan' },
      ],
    });
    const judge = (tool: string, hasEffects: boolean) => policy.evaluate({ tool, actions: [], hasEffects }).decision;
    expect(judge('other', true)).toBe('ask');
    expect(judge('other', false)).toBe('allow');
    expect(judge('mcp_github', false)).toBe('deny');
    expect(judge('plan', true)).toBe('allow');
    expect(policy.evaluate({ tool: 'other', actions: [] }).decision).toBe('ask');
    const open = await policyWith({ defaults: { tool: 'allow' } });
    expect(open.evaluate({ tool: 'other', actions: [] }).decision).toBe('allow');
  });

  test('that are allowed may change the workspace, but run no command and reach nothing outside', async () => {
    const policy = await policyWith({ rules: [{ decision: 'allow', tool: 'edit' }] });
    const judge = (action: ToolAction) => policy.evaluate({ tool: 'edit', actions: [action] }).decision;
    expect(judge({ kind: 'write', path: `${WORKSPACE}/x` })).toBe('allow');
    expect(judge({ kind: 'write', path: '/etc/x' })).toBe('ask');
    expect(judge({ kind: 'shell', line: 'make', cwd: WORKSPACE })).toBe('ask');
  });

  test('with several actions are judged by the strictest', async () => {
    const policy = await policyWith();
    const actions: ToolAction[] = [
      { kind: 'read', path: `${WORKSPACE}/a` },
      { kind: 'shell', line: 'ls', cwd: WORKSPACE },
    ];
    expect(policy.evaluate({ tool: 'x', actions }).decision).toBe('allow');
    expect(policy.evaluate({ tool: 'x', actions: [...actions, { kind: 'write', path: '/x' }] }).decision).toBe('ask');
  });

  test('that run outside of the workspace are asked about', async () => {
    expect(judgeLine(await policyWith(), 'ls', '/tmp').decision).toBe('ask');
    expect(judgeLine(await policyWith(), 'cat a', `${WORKSPACE}/src`).decision).toBe('allow');
    expect(judgeLine(await policyWith(), 'cat ../../a', `${WORKSPACE}/src`).decision).toBe('ask');
  });
});

describe('levels', () => {
  const userRules = [allow('make'), ask('make', 'install'), deny('make', 'release')];

  test('a workspace makes the policy stricter', async () => {
    const policy = await policyWith({ rules: userRules, workspaceRules: [deny('make', 'clean'), ask('ls')] });
    expect(judgeLine(policy, 'make test').decision).toBe('allow');
    expect(judgeLine(policy, 'make clean')).toMatchObject({ decision: 'deny', rule: 3 });
    expect(judgeLine(policy, 'ls').decision).toBe('ask');
  });

  test('what a workspace allows counts only if it is trusted, and never against the user', async () => {
    const workspaceRules = [allow('make'), allow('npm', 'run'), { decision: 'allow', path: '/etc/**' } as const];
    const decisions = async (isTrusted: boolean) => {
      const policy = await policyWith({ rules: userRules.slice(1), workspaceRules, isTrusted });
      return ['npm run x', 'cat /etc/hosts', 'make install', 'make release', 'sudo make'].map(
        (line) => judgeLine(policy, line).decision,
      );
    };
    expect(await decisions(false)).toEqual(['ask', 'ask', 'ask', 'deny', 'deny']);
    expect(await decisions(true)).toEqual(['allow', 'allow', 'ask', 'deny', 'deny']);
  });
});

describe('loading', () => {
  const invalid = (rules: unknown[]) => policyWith({ rules: rules as PolicyRule[] });

  test.each<[string, PolicyRule, string]>([
    ['match', { ...allow('npm', 'test'), match: ['npm test', 'npm run x'] }, 'npm run x'],
    ['match in another folder', { ...allow('npm'), match: ['./npm test'] }, './npm test'],
    ['not_match', { ...deny('git', 'push'), not_match: ['git pull', 'env git push'] }, 'env git push'],
    ['tool', { decision: 'ask', tool: 'mcp_*', match: ['mcp_x', 'x'] }, '"x"'],
    ['path', { decision: 'deny', path: 'secrets/**', not_match: ['a', 'secrets/a'] }, 'secrets/a'],
  ])('a wrong example of %s is refused with rule and example', async (_, rule, example) => {
    const failed = invalid([allow('ls'), rule]);
    await expect(failed).rejects.toMatchObject({ code: 'POLICY_INVALID' });
    await expect(failed).rejects.toThrow('rule 2 of the user level');
    await expect(failed).rejects.toThrow(example);
  });

  test('right examples are accepted', async () => {
    await policyWith({
      rules: [
        { ...deny('rm', '-rf'), match: ['rm -fr x', "bash -c 'rm -r -f x'", 'ls | xargs rm -rf'], not_match: ['rm x'] },
        { decision: 'deny', path: '~/x', match: ['~/x/y'], not_match: ['x'] },
      ],
    });
  });

  test.each<[string, unknown]>([
    ['no subject', { decision: 'allow' }],
    ['two subjects', { decision: 'allow', tool: 'x', path: 'y' }],
    ['an unknown decision', { decision: 'maybe', tool: 'x' }],
    ['an unknown key', { decision: 'allow', tool: 'x', other: 1 }],
    ['an empty command', { decision: 'allow', command: [] }],
    ['access without a path', { decision: 'allow', tool: 'x', access: 'read' }],
    ['a text', 'allow everything'],
    ['null', null],
  ])('a rule with %s is refused', async (_, rule) => {
    await expect(invalid([rule])).rejects.toMatchObject({ code: 'POLICY_INVALID' });
  });

  test('a wrong rule of a workspace is named as such', async () => {
    await expect(policyWith({ workspaceRules: [{ ...allow('a'), match: ['b'] }] })).rejects.toThrow('workspace level');
  });

  test('the digest follows the rules and not the order of their keys', async () => {
    const digest = async (options: Parameters<typeof policyWith>[0]) => (await policyWith(options)).digest;
    const one = await digest({ rules: [{ decision: 'allow', tool: 'x' }] });
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(await digest({ rules: [{ tool: 'x', decision: 'allow' }] })).toBe(one);
    expect(await digest({ rules: [{ tool: 'x', decision: 'ask' }] })).not.toBe(one);
    expect(await digest({ rules: [{ tool: 'x', decision: 'allow' }], defaults: { write: 'allow' } })).not.toBe(one);
    const workspaceRules = [allow('x')];
    expect(await digest({ workspaceRules, isTrusted: true })).not.toBe(await digest({ workspaceRules }));
  });
});
