import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { HumanQuestion, ToolApprovalAnswer, ToolApprovalRequest } from '../../src/protocol/index.ts';

export function newFolder(): string {
  return path.join(mkdtempSync(path.join(os.tmpdir(), 'tacho-approvals-')), 'approvals');
}

export function exampleRequest(changes: Partial<ToolApprovalRequest> = {}): ToolApprovalRequest {
  return {
    approval_id: 'approval-1',
    run_id: 'run-1',
    call_id: 'call-1',
    tool: 'shell_command',
    summary: 'npm test',
    arguments: { command: 'npm test' },
    actions: [{ kind: 'shell', line: 'npm test', cwd: '/srv/project' }],
    reason: 'npm test is not known to be safe',
    suggested_rule: { decision: 'allow', command: ['npm', 'test'], match: ['npm test'] },
    digest: 'digest-1',
    ...changes,
  };
}

export const APPROVED: ToolApprovalAnswer = { decision: 'approved', reason: null, rule: null, by: 'someone' };
export const DENIED: ToolApprovalAnswer = { decision: 'denied', reason: 'not now', rule: null, by: 'someone else' };

export function exampleQuestion(changes: Partial<HumanQuestion> = {}): HumanQuestion {
  return {
    question_id: 'question-1',
    run_id: 'run-1',
    call_id: 'call-1',
    questions: [
      {
        id: 'color',
        text: 'Which color?',
        choices: [
          { value: 'red', description: 'like a rose' },
          { value: 'blue', description: null },
        ],
        allow_other: false,
      },
      { id: 'name', text: 'Which name?', choices: [], allow_other: true },
    ],
    ...changes,
  };
}
