import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApprovalFolder, QuestionFolder } from '../../src/approvals/index.ts';
import type { ToolApprovalAnswer } from '../../src/protocol/index.ts';
import { APPROVED, DENIED, exampleQuestion, exampleRequest, newFolder } from './examples.ts';

const digest = 'digest-1';

describe('approvals in a folder', () => {
  test('are requested, listed, decided and read by another process', () => {
    const folder = newFolder();
    const approvals = new ApprovalFolder(folder);
    expect(approvals.list()).toEqual([]);
    expect(approvals.request(exampleRequest())).toMatchObject({ request: exampleRequest(), answer: null });
    approvals.request(exampleRequest({ approval_id: 'approval-2', digest: 'digest-2' }));
    const other = new ApprovalFolder(folder);
    expect(other.list({ pending: true }).map(({ request }) => request.approval_id)).toEqual([
      'approval-1',
      'approval-2',
    ]);
    expect(other.decide('approval-1', APPROVED, { digest })).toEqual(APPROVED);
    expect(approvals.get('approval-1')).toMatchObject({ answer: APPROVED, decided_at: expect.any(String) });
    expect(approvals.list({ pending: true })).toHaveLength(1);
    expect(approvals.list()).toHaveLength(2);
  });

  test('are private to the user', () => {
    const folder = newFolder();
    const approvals = new ApprovalFolder(folder);
    approvals.request(exampleRequest());
    approvals.decide('approval-1', APPROVED, { digest });
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    const files = fs.readdirSync(folder).sort();
    expect(files).toEqual(['approval-1.decision.json', 'approval-1.request.json']);
    for (const file of files) expect(fs.statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
  });

  test('that are decided twice keep the first decision', () => {
    const approvals = new ApprovalFolder(newFolder());
    approvals.request(exampleRequest());
    expect(approvals.decide('approval-1', DENIED, { digest })).toEqual(DENIED);
    expect(approvals.decide('approval-1', APPROVED, { digest })).toEqual(DENIED);
    expect(approvals.get('approval-1').answer).toEqual(DENIED);
  });

  test('that are requested again keep their request and decision', () => {
    const approvals = new ApprovalFolder(newFolder(), { now: () => '2026-01-01T00:00:00.000Z' });
    approvals.request(exampleRequest());
    approvals.decide('approval-1', APPROVED, { digest });
    expect(approvals.request(exampleRequest({ reason: 'another' }))).toMatchObject({
      request: exampleRequest(),
      requested_at: '2026-01-01T00:00:00.000Z',
      answer: APPROVED,
    });
  });

  test('refuse a decision or a request with another digest', () => {
    const approvals = new ApprovalFolder(newFolder());
    approvals.request(exampleRequest());
    const mismatch = expect.objectContaining({ code: 'APPROVAL_MISMATCH' });
    expect(() => approvals.decide('approval-1', APPROVED, { digest: 'digest-2' })).toThrow(mismatch);
    expect(() => approvals.request(exampleRequest({ digest: 'digest-2' }))).toThrow(mismatch);
    expect(approvals.get('approval-1').answer).toBeNull();
  });

  test('refuse a rule that allows more than the suggested one', () => {
    const approvals = new ApprovalFolder(newFolder());
    approvals.request(exampleRequest());
    approvals.request(exampleRequest({ approval_id: 'approval-2', suggested_rule: null }));
    const withRule = (command: string[]): ToolApprovalAnswer => {
      return { ...APPROVED, decision: 'approved_with_rule', rule: { decision: 'allow', command } };
    };
    const mismatch = expect.objectContaining({ code: 'APPROVAL_MISMATCH' });
    const refused = (id: string, answer: ToolApprovalAnswer) =>
      expect(() => approvals.decide(id, answer, { digest })).toThrow(mismatch);
    refused('approval-1', withRule(['npm']));
    refused('approval-1', { ...APPROVED, decision: 'approved_with_rule' });
    refused('approval-1', { ...APPROVED, rule: { decision: 'allow', command: ['npm', 'test'] } });
    refused('approval-2', withRule(['npm', 'test']));
    expect(approvals.decide('approval-1', withRule(['npm', 'test', 'x']), { digest }).decision).toBe(
      'approved_with_rule',
    );
  });

  test.each(['', '.', '..', '../x', 'a/b', 'a\0b', '-x', 'x'.repeat(161)])('do not exist with the id %j', (id) => {
    const approvals = new ApprovalFolder(newFolder());
    const missing = expect.objectContaining({ code: 'APPROVAL_NOT_FOUND' });
    expect(() => approvals.get(id)).toThrow(missing);
    expect(() => approvals.request(exampleRequest({ approval_id: id }))).toThrow(missing);
    expect(() => approvals.decide(id, APPROVED, { digest })).toThrow(missing);
  });

  test('are waited for', async () => {
    const folder = newFolder();
    const approvals = new ApprovalFolder(folder);
    approvals.request(exampleRequest());
    const decided = approvals.wait('approval-1', new AbortController().signal);
    new ApprovalFolder(folder).decide('approval-1', APPROVED, { digest });
    expect(await decided).toEqual(APPROVED);
    expect(await approvals.wait('approval-1', new AbortController().signal)).toEqual(APPROVED);
  });

  test('end the wait when it is aborted', async () => {
    const approvals = new ApprovalFolder(newFolder());
    approvals.request(exampleRequest());
    const stop = new AbortController();
    const waiting = approvals.wait('approval-1', stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(approvals.wait('approval-2', new AbortController().signal)).rejects.toMatchObject({
      code: 'APPROVAL_NOT_FOUND',
    });
  });
});

describe('damaged and hostile files', () => {
  const decidedBy = (content: string | null, damage: (file: string) => void = () => {}) => {
    const folder = newFolder();
    const approvals = new ApprovalFolder(folder);
    approvals.request(exampleRequest());
    const file = path.join(folder, 'approval-1.decision.json');
    if (content !== null) fs.writeFileSync(file, content);
    damage(file);
    return approvals;
  };
  const stored = (changes: object, answer: object = APPROVED) =>
    JSON.stringify({ digest, answer, decided_at: '2026-01-01T00:00:00.000Z', ...changes });

  test.each([
    ['nothing', ''],
    ['half of it', stored({}).slice(0, 40)],
    ['null', 'null'],
    ['another digest', stored({ digest: 'digest-2' })],
    ['an unknown decision', stored({}, { ...APPROVED, decision: 'sure' })],
    ['more fields', stored({ more: 1 })],
    [
      'a looser rule',
      stored({}, { ...APPROVED, decision: 'approved_with_rule', rule: { decision: 'allow', tool: '*' } }),
    ],
  ])('a decision with %s denies', (_, content) => {
    const approvals = decidedBy(content);
    expect(approvals.get('approval-1').answer).toMatchObject({ decision: 'denied', by: 'tacho' });
    expect(approvals.decide('approval-1', APPROVED, { digest })).toMatchObject({ decision: 'denied' });
    expect(approvals.list()).toHaveLength(1);
  });

  test('a link, a folder and a pipe in the place of a decision deny', () => {
    const target = path.join(newFolder(), '..', 'target');
    fs.writeFileSync(target, stored({}));
    const asLink = decidedBy(null, (file) => fs.symlinkSync(target, file));
    const asFolder = decidedBy(null, (file) => fs.mkdirSync(file));
    for (const approvals of [asLink, asFolder]) expect(approvals.get('approval-1').answer?.decision).toBe('denied');
  });

  test('a request that cannot be read is not there', () => {
    const folder = newFolder();
    const approvals = new ApprovalFolder(folder);
    approvals.request(exampleRequest());
    fs.writeFileSync(path.join(folder, 'broken.request.json'), '{');
    fs.mkdirSync(path.join(folder, 'folder.request.json'));
    fs.writeFileSync(path.join(folder, '.request.json'), '{}');
    fs.copyFileSync(path.join(folder, 'approval-1.request.json'), path.join(folder, 'copied.request.json'));
    expect(approvals.list().map(({ request }) => request.approval_id)).toEqual(['approval-1']);
    for (const id of ['broken', 'folder', 'copied']) {
      expect(() => approvals.get(id)).toThrow(expect.objectContaining({ code: 'APPROVAL_NOT_FOUND' }));
    }
  });

  test('any content is read without an error, and nothing but the right one approves', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constant(stored({ digest: 'x' }))), (content) => {
        expect(decidedBy(content).list()[0]?.answer?.decision).toBe('denied');
      }),
      { numRuns: 100 },
    );
  });
});

describe('questions in a folder', () => {
  const answer = { answers: { color: 'blue', name: 'Ada' }, by: 'someone' };

  test('are asked, answered once, and waited for', async () => {
    const folder = newFolder();
    const questions = new QuestionFolder(folder);
    expect(questions.ask(exampleQuestion())).toMatchObject({ question: exampleQuestion(), answer: null });
    expect(questions.list({ open: true })).toHaveLength(1);
    const answered = questions.wait('question-1', new AbortController().signal);
    expect(new QuestionFolder(folder).answer('question-1', answer)).toEqual(answer);
    expect(await answered).toEqual(answer);
    expect(questions.answer('question-1', { ...answer, by: 'another' })).toEqual(answer);
    expect(questions.list({ open: true })).toEqual([]);
    expect(questions.list()).toHaveLength(1);
  });

  test.each([
    ['a missing answer', { color: 'blue' }],
    ['an unknown question', { color: 'blue', name: 'x', other: 'y' }],
    ['a value that is not a choice', { color: 'green', name: 'x' }],
  ])('refuse %s', (_, answers) => {
    const questions = new QuestionFolder(newFolder());
    questions.ask(exampleQuestion());
    const invalid = expect.objectContaining({ code: 'INVALID_REQUEST' });
    expect(() => questions.answer('question-1', { answers, by: 'x' } as typeof answer)).toThrow(invalid);
    expect(questions.get('question-1').answer).toBeNull();
  });

  test('have an empty answer if its file is damaged', () => {
    const folder = newFolder();
    const questions = new QuestionFolder(folder);
    questions.ask(exampleQuestion());
    fs.writeFileSync(
      path.join(folder, 'question-1.decision.json'),
      '{"answer":{"answers":{"color":"green"},"by":"x"}}',
    );
    expect(questions.get('question-1').answer).toEqual({ answers: {}, by: 'tacho' });
    expect(() => questions.get('question-2')).toThrow(expect.objectContaining({ code: 'APPROVAL_NOT_FOUND' }));
  });
});
