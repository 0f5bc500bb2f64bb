import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  ApprovalFolder,
  callbackApprover,
  folderApprover,
  laterApprover,
  policyOnlyApprover,
  terminalApprover,
  terminalAsker,
} from '../../src/approvals/index.ts';
import { APPROVED, exampleQuestion, exampleRequest, newFolder } from './examples.ts';

const { signal } = new AbortController();

/** Streams that claim to be a terminal; a real one is in the test with processes. */
function streams() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  let shown = '';
  output.on('data', (data: Buffer) => {
    shown += data.toString();
  });
  return { input, output, shown: () => shown };
}

describe('approvers', () => {
  test('a callback gives an answer, or the decision alone', async () => {
    expect(await callbackApprover(() => APPROVED).decide(exampleRequest(), signal)).toEqual(APPROVED);
    expect(await callbackApprover(async () => 'approved' as const).decide(exampleRequest(), signal)).toEqual({
      ...APPROVED,
      by: 'callback',
    });
    expect(await callbackApprover(() => 'later').decide(exampleRequest(), signal)).toBe('later');
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no one is there'))],
    ['throws something else', () => Promise.reject('no one is there')],
    ['answers with nonsense', () => ({ decision: 'sure' }) as never],
    ['answers with nothing', () => undefined as never],
  ])('a callback that %s denies with the reason', async (_, callback) => {
    const answer = await callbackApprover(callback).decide(exampleRequest(), signal);
    expect(answer).toMatchObject({ decision: 'denied', by: 'callback', reason: expect.stringContaining('failed: ') });
  });

  test('a callback that ends because of the signal is not a denial', async () => {
    const stop = new AbortController();
    const waiting = callbackApprover(
      (_, given) => new Promise((_resolve, reject) => given.addEventListener('abort', () => reject(given.reason))),
    ).decide(exampleRequest(), stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });

  test('the policy alone denies, and a later decision is left open', async () => {
    expect(await policyOnlyApprover().decide(exampleRequest(), signal)).toMatchObject({
      decision: 'denied',
      by: 'policy',
    });
    expect(await laterApprover().decide(exampleRequest(), signal)).toBe('later');
  });

  test('a folder keeps the request until it is decided', async () => {
    const folder = new ApprovalFolder(newFolder());
    const approver = folderApprover(folder);
    expect(await approver.decide(exampleRequest(), signal)).toBe('later');
    folder.decide('approval-1', APPROVED, { digest: 'digest-1' });
    expect(await approver.decide(exampleRequest(), signal)).toEqual(APPROVED);
    const changed = approver.decide(exampleRequest({ digest: 'digest-2' }), signal);
    await expect(changed).rejects.toMatchObject({ code: 'APPROVAL_MISMATCH' });
  });

  test('a folder can be waited for', async () => {
    const folder = new ApprovalFolder(newFolder());
    const waiting = folderApprover(folder, { waits: true }).decide(exampleRequest(), signal);
    folder.decide('approval-1', APPROVED, { digest: 'digest-1' });
    expect(await waiting).toEqual(APPROVED);
  });
});

describe('terminal approver', () => {
  test.each([
    ['y', { decision: 'approved' }],
    ['s', { decision: 'approved_for_session' }],
    ['a', { decision: 'approved_with_rule', rule: exampleRequest().suggested_rule }],
    ['n', { decision: 'denied', reason: 'the user said no' }],
    ['q', { decision: 'abort' }],
    ['\u0003', { decision: 'abort' }],
    ['\u0004', { decision: 'denied' }],
  ])('takes the key %j', async (key, answer) => {
    const terminal = streams();
    const asked = terminalApprover(terminal).decide(exampleRequest(), signal);
    terminal.input.write(key);
    expect(await asked).toMatchObject({ ...answer, by: 'terminal' });
    expect(terminal.shown()).toContain('npm test is not known to be safe');
    expect(terminal.shown()).toContain('allow npm test …');
  });

  test('ignores other keys, and offers a rule only if there is one', async () => {
    const terminal = streams();
    const asked = terminalApprover(terminal).decide(exampleRequest({ suggested_rule: null }), signal);
    for (const key of ['x', '\r', 'a', '\u001b[A', 'y']) {
      terminal.input.write(key);
      await new Promise(setImmediate);
    }
    expect(await asked).toMatchObject({ decision: 'approved' });
    expect(terminal.shown()).not.toContain('a always');
  });

  test('shows characters that a terminal would obey, or that hide others, as text', async () => {
    const terminal = streams();
    const summary = 'rm x\u001b[2K\r\u202eabc\u200b';
    const asked = terminalApprover(terminal).decide(exampleRequest({ summary }), signal);
    terminal.input.write('n');
    await asked;
    expect(terminal.shown()).toContain('rm x\\u{1b}[2K\\u{d}\\u{202e}abc\\u{200b}');
    expect(terminal.shown()).not.toContain('\u001b');
  });

  test('asks one after the other', async () => {
    const terminal = streams();
    const approver = terminalApprover(terminal);
    const first = approver.decide(exampleRequest({ summary: 'first' }), signal);
    const second = approver.decide(exampleRequest({ summary: 'second' }), signal);
    terminal.input.write('y');
    expect(await first).toMatchObject({ decision: 'approved' });
    terminal.input.write('n');
    expect(await second).toMatchObject({ decision: 'denied' });
    expect(terminal.shown()).toMatch(/first[\s\S]*approved\n[\s\S]*second[\s\S]*denied\n/);
  });

  test('ends when the signal aborts or the input ends', async () => {
    const terminal = streams();
    const approver = terminalApprover(terminal);
    const stop = new AbortController();
    const aborted = approver.decide(exampleRequest(), stop.signal);
    await new Promise(setImmediate);
    stop.abort(new Error('stopped'));
    await expect(aborted).rejects.toThrow('stopped');
    expect(terminal.input.listenerCount('data')).toBe(0);
    const closed = approver.decide(exampleRequest(), signal);
    terminal.input.end();
    expect(await closed).toMatchObject({ decision: 'denied', reason: 'the terminal was closed' });
  });

  test('refuses streams that are not a terminal', () => {
    const plain = { input: new PassThrough(), output: new PassThrough() };
    expect(() => terminalApprover(plain)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => terminalAsker(plain)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

describe('terminal asker', () => {
  test('shows numbered choices and repeats the question until the answer fits', async () => {
    const terminal = streams();
    const asked = terminalAsker(terminal).ask(exampleQuestion(), signal);
    terminal.input.write('3\ngreen\n\n2\n  Ada \n');
    expect(await asked).toEqual({ answers: { color: 'blue', name: 'Ada' }, by: 'terminal' });
    expect(terminal.shown()).toContain('Which color?\n  1. red – like a rose\n  2. blue\nNumber: ');
    expect(terminal.shown().match(/Type a number from 1 to 2/g)).toHaveLength(3);
  });

  test('takes the text of a choice, and other text if that is allowed', async () => {
    const ask = (typed: string, allow_other: boolean) => {
      const terminal = streams();
      const [color] = exampleQuestion().questions;
      const asked = terminalAsker(terminal).ask(exampleQuestion({ questions: [{ ...color!, allow_other }] }), signal);
      terminal.input.write(typed);
      return asked;
    };
    expect(await ask('red\n', false)).toMatchObject({ answers: { color: 'red' } });
    expect(await ask('green\n', true)).toMatchObject({ answers: { color: 'green' } });
  });

  test('leaves the answer for later if the terminal is closed, and rejects when aborted', async () => {
    const terminal = streams();
    const asked = terminalAsker(terminal).ask(exampleQuestion(), signal);
    terminal.input.end('1\n');
    expect(await asked).toBe('later');
    const stop = new AbortController();
    const aborted = terminalAsker(streams()).ask(exampleQuestion(), stop.signal);
    await new Promise(setImmediate);
    stop.abort(new Error('stopped'));
    await expect(aborted).rejects.toThrow('stopped');
  });
});
