import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { sharedApprover, sharedAsker } from '../../src/approvals/approvers/shared-approver.ts';
import {
  ApprovalFolder,
  callbackApprover,
  QuestionFolder,
  terminalApprover,
  terminalAsker,
} from '../../src/approvals/index.ts';
import { APPROVED, exampleQuestion, exampleRequest, newFolder } from './examples.ts';

const { signal } = new AbortController();
const ELSEWHERE = { decision: 'denied', reason: 'not today', rule: null, by: 'Ada' } as const;

function terminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  let shown = '';
  output.on('data', (data: Buffer) => {
    shown += data.toString();
  });
  return { input, output, shown: () => shown };
}

/** Answers never, and notes why it was stopped. */
function silent() {
  const reasons: string[] = [];
  const wait = (given: AbortSignal) =>
    new Promise<never>((_, reject) => {
      given.addEventListener('abort', () => {
        reasons.push((given.reason as Error).message);
        reject(given.reason);
      });
    });
  return {
    reasons,
    approver: { decide: (_: unknown, given: AbortSignal) => wait(given) },
    asker: { ask: (_: unknown, given: AbortSignal) => wait(given) },
  };
}

describe('a shared approver', () => {
  test('keeps the decision of its own process in the folder', async () => {
    const folder = new ApprovalFolder(newFolder());
    const request = exampleRequest();
    const approver = sharedApprover(
      folder,
      callbackApprover(() => APPROVED),
    );
    expect(await approver.decide(request, signal)).toEqual(APPROVED);
    expect(folder.get(request.approval_id).answer).toEqual(APPROVED);
    const again = sharedApprover(
      folder,
      callbackApprover(() => 'denied'),
    );
    expect(await again.decide(request, signal)).toEqual(APPROVED);
  });

  test('takes a decision of another process, and stops its own question', async () => {
    const folder = new ApprovalFolder(newFolder());
    const request = exampleRequest();
    const { approver, reasons } = silent();
    const deciding = sharedApprover(folder, approver).decide(request, signal);
    await expect.poll(() => folder.list({ pending: true })).toHaveLength(1);
    folder.decide(request.approval_id, ELSEWHERE, { digest: request.digest });
    expect(await deciding).toEqual(ELSEWHERE);
    expect(reasons).toEqual(['it was decided elsewhere']);
  });

  test('gives both processes the first decision', async () => {
    const folder = new ApprovalFolder(newFolder());
    const request = exampleRequest();
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const own = callbackApprover(async () => {
      await asked;
      return APPROVED;
    });
    const deciding = sharedApprover(folder, own).decide(request, signal);
    await expect.poll(() => folder.list({ pending: true })).toHaveLength(1);
    const counted = folder.decide(request.approval_id, ELSEWHERE, { digest: request.digest });
    answer();
    expect([await deciding, counted]).toEqual([ELSEWHERE, ELSEWHERE]);
  });

  test('keeps a rule that was not suggested for this call alone', async () => {
    const folder = new ApprovalFolder(newFolder());
    const request = exampleRequest();
    const everything = { decision: 'allow', tool: '*' } as const;
    const own = callbackApprover(() => ({ ...APPROVED, decision: 'approved_with_rule', rule: everything }));
    expect(await sharedApprover(folder, own).decide(request, signal)).toMatchObject({
      decision: 'approved',
      rule: null,
    });
  });

  test('keeps a denial when its own approver fails', async () => {
    const folder = new ApprovalFolder(newFolder());
    const request = exampleRequest();
    const own = { decide: () => Promise.reject(new Error('no one is there')) };
    const denied = { decision: 'denied', reason: 'the approver failed: no one is there' };
    expect(await sharedApprover(folder, own).decide(request, signal)).toMatchObject(denied);
    expect(folder.get(request.approval_id).answer).toMatchObject(denied);
  });

  test('ends with the run, without a decision', async () => {
    const folder = new ApprovalFolder(newFolder());
    const stop = new AbortController();
    const deciding = sharedApprover(folder, silent().approver).decide(exampleRequest(), stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(deciding).rejects.toThrow('cancelled');
    expect(folder.list({ pending: true })).toHaveLength(1);
  });

  test('says on the terminal that it was decided elsewhere, and reads no further key', async () => {
    const folder = new ApprovalFolder(newFolder());
    const request = exampleRequest();
    const streams = terminal();
    const deciding = sharedApprover(folder, terminalApprover(streams)).decide(request, signal);
    await expect.poll(streams.shown).toContain('Allow it?');
    folder.decide(request.approval_id, ELSEWHERE, { digest: request.digest });
    expect(await deciding).toEqual(ELSEWHERE);
    await expect.poll(streams.shown).toMatch(/decided elsewhere\n$/);
    expect(streams.input.listenerCount('data')).toBe(0);
  });

  test('does not show a request that was decided while another one was on the terminal', async () => {
    const folder = new ApprovalFolder(newFolder());
    const streams = terminal();
    const approver = sharedApprover(folder, terminalApprover(streams));
    const [first, second] = [exampleRequest(), { ...exampleRequest(), approval_id: 'run-1.a2', summary: 'second' }];
    const deciding = [approver.decide(first, signal), approver.decide(second, signal)];
    await expect.poll(() => folder.list({ pending: true })).toHaveLength(2);
    folder.decide(second.approval_id, ELSEWHERE, { digest: second.digest });
    expect(await deciding[1]).toEqual(ELSEWHERE);
    await expect.poll(streams.shown).toContain('Allow it?');
    streams.input.write('y');
    expect(await deciding[0]).toMatchObject({ decision: 'approved' });
    expect(streams.shown()).not.toContain('second');
  });
});

describe('a shared asker', () => {
  test('takes the first answer, from here or elsewhere', async () => {
    const folder = new QuestionFolder(newFolder());
    const question = exampleQuestion();
    const answer = { answers: Object.fromEntries(question.questions.map(({ id }) => [id, 'red'])), by: 'Ada' };
    const streams = terminal();
    const asking = sharedAsker(folder, terminalAsker(streams)).ask(question, signal);
    await expect.poll(() => folder.list({ open: true })).toHaveLength(1);
    folder.answer(question.question_id, answer);
    expect(await asking).toEqual(answer);
    await expect.poll(streams.shown).toContain('answered elsewhere\n');
    const late = { ask: async () => ({ answers: { color: 'blue', name: 'x' }, by: 'terminal' }) };
    expect(await sharedAsker(folder, late).ask(question, signal)).toEqual(answer);
  });
});
