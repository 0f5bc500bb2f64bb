import { describe, expect, it } from 'vitest';
import {
  type AgentState,
  builtinTools,
  createRegistry,
  type RuntimePort,
  ToolFailure,
} from '../../../src/tools/index.ts';
import { call, contextFor, placeOf, workspaceWith } from '../tool-context.ts';

const tools = builtinTools({ runtime: true });
const place = placeOf('/workspace');

describe('ask_human and request_user_input', () => {
  it('become questions, which the loop asks', async () => {
    const registry = createRegistry(tools);
    expect(await registry.prepare('ask_human', { question: 'Why?' }, place)).toMatchObject({
      ok: true,
      questions: [{ id: 'answer', text: 'Why?', choices: [], allow_other: true }],
    });
    const choices = [{ value: 'red', description: 'like fire' }, { value: 'blue' }];
    const questions = [{ id: 'colour', question: 'Which?', choices }];
    expect(await registry.prepare('request_user_input', { questions }, place)).toMatchObject({
      ok: true,
      questions: [
        {
          id: 'colour',
          text: 'Which?',
          choices: [
            { value: 'red', description: 'like fire' },
            { value: 'blue', description: null },
          ],
          allow_other: false,
        },
      ],
    });
  });

  it('refuse two questions with one id, and fewer than two choices', async () => {
    const registry = createRegistry(tools);
    const choices = [{ value: 'a' }, { value: 'b' }];
    const one = { id: 'x', question: 'Which?', choices };
    expect(await registry.prepare('request_user_input', { questions: [one, one] }, place)).toMatchObject({
      ok: false,
      result: { data: { violations: [{ path: '/questions/1/id', message: 'is used twice: x' }] } },
    });
    const few = { questions: [{ ...one, choices: [{ value: 'a' }] }] };
    expect(await registry.prepare('request_user_input', few, place)).toMatchObject({ ok: false });
  });

  it('are unavailable to a program that executes them by itself', async () => {
    const result = await call(tools, 'ask_human', { question: 'Why?' }, contextFor(workspaceWith()));
    expect(result).toMatchObject({ ok: false, error_kind: 'unavailable' });
  });
});

describe('update_plan', () => {
  it('records the steps', async () => {
    const plan = [
      { step: 'Read', status: 'completed' },
      { step: 'Write', status: 'in_progress' },
      { step: 'Test', status: 'pending' },
    ];
    const result = await call(tools, 'update_plan', { plan }, contextFor(workspaceWith()));
    expect(result).toMatchObject({
      ok: true,
      stdout: '[x] Read\n[>] Write\n[ ] Test\n',
      data: { plan, explanation: null },
    });
  });

  it('refuses two steps in progress', async () => {
    const plan = ['a', 'b', 'c'].map((step) => ({ step, status: 'in_progress' }));
    const result = await call(tools, 'update_plan', { plan }, contextFor(workspaceWith()));
    expect(result).toMatchObject({
      ok: false,
      error_kind: 'invalid_arguments',
      data: {
        violations: [
          { path: '/plan/1/status', message: 'only one step may be in_progress' },
          { path: '/plan/2/status', message: 'only one step may be in_progress' },
        ],
      },
    });
  });

  it('refuses an unknown status', async () => {
    const plan = [{ step: 'a', status: 'done' }];
    const result = await call(tools, 'update_plan', { plan }, contextFor(workspaceWith()));
    expect(result.stderr).toContain('/plan/0/status: must be equal to one of the allowed values: ["pending"');
  });
});

describe('tools of a runtime', () => {
  const asked: unknown[] = [];
  const note = <T>(answer: T) => {
    return async (request: unknown): Promise<T> => {
      asked.push(request);
      return answer;
    };
  };
  const state: AgentState = { agentId: 'a1', status: 'running', text: 'working', walLocator: '/wal' };
  const runtime: RuntimePort = {
    execCommand: note({ sessionId: 's1', output: 'prompt> ', truncated: false, exitCode: null }),
    writeStdin: note({ sessionId: null, output: 'bye\n', truncated: true, exitCode: 3 }),
    spawnAgent: note(state),
    waitForAgents: note([state, { ...state, agentId: 'a2', status: 'completed' as const, text: '' }]),
    sendInput: note(state),
    closeAgent: () => Promise.reject(new ToolFailure('not_found', 'there is no agent a9')),
    resumeAgent: note(state),
  };

  it('pass their arguments on and turn answers into results', async () => {
    const root = workspaceWith({ 'sub/x': '' });
    const context = contextFor(root, { runtime, env: { A: '1', B: '1' } });
    const started = await call(tools, 'exec_command', { command: 'python3', cwd: 'sub', env: { B: '2' } }, context);
    expect(started).toMatchObject({ ok: true, stdout: 'prompt> ', exit_code: null, data: { session_id: 's1' } });
    expect(asked.pop()).toEqual({
      callId: 'call',
      argv: ['bash', '-c', 'python3'],
      cwd: `${root}/sub`,
      env: { A: '1', B: '2' },
      yieldMs: 10_000,
      maxOutputChars: 20_000,
    });
    const ended = await call(tools, 'write_stdin', { session_id: 's1', text: 'exit\n', yield_ms: 5 }, context);
    expect(ended).toMatchObject({ ok: false, error_kind: 'exit_code', exit_code: 3, truncated: true });
    expect(asked.pop()).toEqual({
      callKey: '1.call',
      sessionId: 's1',
      text: 'exit\n',
      yieldMs: 5,
      maxOutputChars: 20_000,
    });
    await call(tools, 'spawn_agent', { task: 'Look.', tools: ['read_file'] }, context);
    expect(asked.pop()).toEqual({ callId: 'call', callKey: '1.call', task: 'Look.', tools: ['read_file'] });
    const waited = await call(tools, 'wait', { agent_ids: ['a1', 'a2'], timeout_ms: 7 }, context);
    expect(waited.stdout).toBe('a1: running\nworking\na2: completed\n');
    expect(asked.pop()).toEqual({ agentIds: ['a1', 'a2'], timeoutMs: 7 });
    await call(tools, 'send_input', { agent_id: 'a1', text: 'hi' }, context);
    expect(asked.pop()).toEqual({ agentId: 'a1', text: 'hi', interrupt: false });
    await call(tools, 'resume_agent', { agent_id: 'a1' }, context);
    expect(asked.pop()).toEqual({ agentId: 'a1' });
    const unknown = await call(tools, 'close_agent', { agent_id: 'a9' }, context);
    expect(unknown).toMatchObject({ ok: false, error_kind: 'not_found', stderr: 'there is no agent a9' });
  });

  it('log variables by name', async () => {
    const prepared = await createRegistry(tools).prepare('exec_command', { command: 'x', env: { KEY: 'v' } }, place);
    expect(prepared).toMatchObject({ logged: { command: 'x', env: ['KEY'] } });
  });
});
