import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtinTools, openCommands, type ToolContext } from '../../../src/tools/index.ts';
import { call, contextFor, workspaceWith } from '../tool-context.ts';

const tools = builtinTools();

/** Real programs, without a sandbox: what that hides is tested elsewhere. */
async function contextWith(files: Record<string, string> = {}, more: Partial<ToolContext> = {}): Promise<ToolContext> {
  const root = workspaceWith(files);
  const opened = await openCommands({ profile: 'none', workspaceRoot: root });
  if ('why' in opened) throw new Error(opened.why);
  return contextFor(root, { commands: opened.commands, ...more });
}

describe('shell_exec', () => {
  it('runs a program with arguments, input, folder and variables', async () => {
    const context = await contextWith({ 'sub/a.txt': '' }, { env: { ONE: '1', TWO: '1' } });
    const script = 'read line; echo "$line $ONE $TWO $1"; ls; echo problem >&2';
    const argv = ['bash', '-c', script, 'bash', '$(not expanded)'];
    const result = await call(tools, 'shell_exec', { argv, input: 'in\n', cwd: 'sub', env: { TWO: '2' } }, context);
    expect(result).toMatchObject({
      ok: true,
      stdout: 'in 1 2 $(not expanded)\na.txt\n',
      stderr: 'problem\n',
      exit_code: 0,
      error_kind: null,
    });
  });

  it('inherits nothing from the environment of the agent', async () => {
    process.env.TACHO_TEST_SECRET = 'secret';
    try {
      const result = await call(tools, 'shell_exec', { argv: ['env'] }, await contextWith());
      expect(result.ok).toBe(true);
      expect(result.stdout).not.toContain('TACHO_TEST_SECRET');
    } finally {
      delete process.env.TACHO_TEST_SECRET;
    }
  });

  it('reports a program that is missing', async () => {
    const result = await call(tools, 'shell_exec', { argv: ['no-such-program'] }, await contextWith());
    expect(result).toMatchObject({ ok: false, error_kind: 'exit_code', exit_code: 127 });
  });

  it.each([
    ['missing', 'not_found'],
    ['..', 'path_outside'],
    ['a.txt', 'conflict'],
    ['.tacho', 'not_permitted'],
  ])('refuses %s as its folder with %s', async (cwd, kind) => {
    const context = await contextWith({ 'a.txt': '', '.tacho/x': '' });
    expect(await call(tools, 'shell_exec', { argv: ['ls'], cwd }, context)).toMatchObject({
      ok: false,
      error_kind: kind,
    });
  });

  it('refuses an empty command', async () => {
    const result = await call(tools, 'shell_exec', { argv: [] }, await contextWith());
    expect(result).toMatchObject({ ok: false, error_kind: 'invalid_arguments' });
  });
});

describe('shell_command', () => {
  it('runs a line with bash', async () => {
    const context = await contextWith();
    const result = await call(tools, 'shell_command', { command: 'printf x > a && cat a | tr x y' }, context);
    expect(result).toMatchObject({ ok: true, stdout: 'y', exit_code: 0 });
    expect(fs.readFileSync(path.join(context.workspaceRoot, 'a'), 'utf8')).toBe('x');
  });

  it('reports exit code and output of a command that fails', async () => {
    const result = await call(
      tools,
      'shell_command',
      { command: 'echo out; echo err >&2; exit 3' },
      await contextWith(),
    );
    expect(result).toMatchObject({
      ok: false,
      error_kind: 'exit_code',
      exit_code: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  it('names the signal that ended a command', async () => {
    const result = await call(tools, 'shell_command', { command: 'kill -9 $$' }, await contextWith());
    expect(result).toMatchObject({ ok: false, error_kind: 'exit_code', exit_code: null, data: { signal: 'SIGKILL' } });
    expect(result.stderr).toBe('[the command was ended by SIGKILL]\n');
  });

  it('keeps the output of a command that takes too long', async () => {
    const command = { command: 'echo begun; sleep 600', timeout_ms: 500 };
    const result = await call(tools, 'shell_command', command, await contextWith());
    expect(result).toMatchObject({ ok: false, error_kind: 'timeout', stdout: 'begun\n' });
    expect(result.stderr).toContain('stopped after 500 ms');
  });

  it('is cancelled with everything it started', async () => {
    const stop = new AbortController();
    const context = await contextWith({}, { signal: stop.signal });
    const started = path.join(context.workspaceRoot, 'started');
    fs.mkdirSync(started);
    const watcher = fs.watch(started, () => stop.abort());
    try {
      const command = 'sleep 600 & echo $! > started/pid; wait';
      const result = await call(tools, 'shell_command', { command }, context);
      expect(result).toMatchObject({ ok: false, error_kind: 'cancelled' });
      const pid = fs.readFileSync(path.join(started, 'pid'), 'utf8').trim();
      expect(pid === '' || !fs.existsSync(`/proc/${pid}`)).toBe(true);
    } finally {
      watcher.close();
    }
  });

  it('marks what is missing in the middle of a flood', async () => {
    const command = { command: 'echo begin; head -c 3000000 /dev/zero | tr "\\0" x; echo; echo end' };
    const result = await call(tools, 'shell_command', command, await contextWith());
    expect(result).toMatchObject({ ok: true, truncated: true, data: { stdout_bytes: 3_000_011 } });
    expect(result.stdout).toMatch(/^begin\nx+\n\[… \d+ characters left out …\]\nx+\nend\n$/);
  });

  it('passes on that the sandbox is impossible', async () => {
    const commands = { run: async () => ({ denied: 'bubblewrap is not installed' }) };
    const result = await call(tools, 'shell_command', { command: 'ls' }, contextFor(workspaceWith(), { commands }));
    expect(result).toMatchObject({ ok: false, error_kind: 'sandbox_denied', stderr: 'bubblewrap is not installed' });
  });
});
