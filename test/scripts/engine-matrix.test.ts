import { describe, expect, test } from 'vitest';
import { judge, type Observed, PROMPT, REPLY } from '../../scripts/engine-matrix/judge.ts';
import { readRows, renderPage } from '../../scripts/engine-matrix/page.ts';
import type { Verdict } from '../../scripts/engine-matrix/try-version.ts';
import { answered, BEFORE_COMMAND, DONE, PLAIN, QUESTION } from '../../src/demo/wording.ts';
import { findEngine } from '../../src/engines/index.ts';
import type { FcmpMessage } from '../../src/protocol/index.ts';

const message = (type: string, data: object) => ({ type, data }) as unknown as FcmpMessage;
const said = (text: string) => message('assistant.message.final', { text });
const asked = (text: string) => message('user.message', { text });

const TEXT: Observed = {
  status: 'succeeded',
  state: 'completed',
  reason: 'TERMINAL_SIGNAL',
  session: 's-1',
  question: null,
  tokens: 120,
  prompts: [PROMPT],
  billed: { task: 120, all: 240 },
  coverage: 1,
  conversation: [asked(PROMPT), said(PLAIN)],
};
const TOOL: Observed = {
  ...TEXT,
  reason: 'DONE_MARKER',
  conversation: [
    asked(PROMPT),
    said(BEFORE_COMMAND),
    message('assistant.tool_call', { state: 'started' }),
    message('assistant.tool_call', { state: 'completed' }),
    said(DONE),
    message('artifact.changed', { path: 'artifacts/demo.txt' }),
  ],
};
const FAILED: Observed = {
  ...TEXT,
  status: 'failed',
  state: 'interrupted',
  reason: 'ENGINE_AUTH_REQUIRED',
  session: null,
  tokens: null,
  conversation: [asked(PROMPT), message('conversation.failed', {})],
};
const ASKED: Observed = {
  ...TEXT,
  status: 'waiting_user',
  state: 'awaiting_user_input',
  reason: 'WAITING_FOR_USER',
  question: QUESTION,
  conversation: [asked(PROMPT), said(QUESTION)],
};
const RESUMED: Observed = {
  ...TEXT,
  reason: 'DONE_MARKER',
  prompts: [PROMPT, REPLY],
  conversation: [...ASKED.conversation, asked(REPLY), said(answered(REPLY))],
};

describe('a trial', () => {
  test('is right if everything is', () => {
    expect(judge('text', TEXT)).toEqual([]);
    expect(judge('tool', TOOL)).toEqual([]);
    expect(judge('e401', FAILED)).toEqual([]);
    expect(judge('ask', ASKED)).toEqual([]);
    expect(judge('resume', RESUMED, ASKED)).toEqual([]);
  });

  test('is right if side requests are counted too, or if pi’s space before a message is repeated', () => {
    expect(judge('text', { ...TEXT, tokens: 240 })).toEqual([]);
    const conversation = [...ASKED.conversation, asked(REPLY), said(answered(` ${REPLY}`))];
    expect(judge('resume', { ...RESUMED, prompts: [` ${REPLY}`], conversation }, ASKED)).toEqual([]);
  });

  test.each([
    [{ reason: 'DONE_MARKER' }, 'succeeded, completed, DONE_MARKER instead of TERMINAL_SIGNAL'],
    [{ coverage: 0.5 }, '50 % of the output became events'],
    [{ session: null }, 'no session'],
    [{ tokens: 100 }, '100 tokens instead of 120'],
    [{ tokens: null }, 'null tokens instead of 120'],
    [{ prompts: ['"quoted"'] }, 'the model was asked ["\\"quoted\\""]'],
    [{ conversation: [said(PLAIN)] }, 'the user said []'],
    [{ conversation: [asked(PROMPT), said(PLAIN), said(PLAIN)] }, `the assistant said ["${PLAIN}","${PLAIN}"]`],
  ])('is wrong with %j', (change, wrong) => {
    expect(judge('text', { ...TEXT, ...change })).toEqual([wrong]);
  });

  test('is wrong without the call or the file of a tool', () => {
    const conversation = [asked(PROMPT), said(BEFORE_COMMAND), said(DONE)];
    expect(judge('tool', { ...TOOL, conversation })).toEqual(['calls: none', 'the file of the tool is missing']);
  });

  test('is wrong if a failure is not told, a question is another one, or a session is', () => {
    expect(judge('e401', { ...FAILED, conversation: [] })).toEqual(['no failure is told']);
    expect(judge('ask', { ...ASKED, question: null })).toEqual(['the question is null']);
    expect(judge('resume', { ...RESUMED, session: 's-2' }, ASKED)).toEqual(['another session']);
  });
});

describe('the page', () => {
  const verdict = (engine: string, version: string, more: Partial<Verdict> = {}): Verdict => {
    const profile = findEngine(engine)!;
    const wanted = { profile, package: profile.install!.package, version, roles: ['older'] };
    return { wanted, node: null, wrong: {}, unavailable: null, ...more };
  };
  const whole = { whole: [], date: '2026-11-17' };

  test('has a row for each version, in the order of engines and from the newest on', () => {
    const verdicts = [verdict('gemini', '0.9.0'), verdict('codex', '0.9.0'), verdict('codex', '0.10.0')];
    const rows = readRows(renderPage('', verdicts, whole));
    expect(rows.map(([engine, version]) => `${engine} ${version}`)).toEqual([
      '`codex` 0.10.0',
      '`codex` 0.9.0',
      '`gemini` 0.9.0',
    ]);
    expect(rows[0]).toEqual(['`codex`', '0.10.0', 'older', '–', '✔', '✔', '✔', '✔', '✔', '–', '2026-11-17']);
  });

  test('tells what is wrong, and why a version could not be tried', () => {
    const wrong = verdict('codex', '0.1.0', { node: '22.1.0', wrong: { tool: ['no session', '1 | 2'] } });
    const missing = verdict('gemini', '0.2.0', { unavailable: 'npm install failed' });
    const [codex, gemini] = readRows(renderPage('', [wrong, missing], whole));
    expect(codex!.slice(3, 10)).toEqual(['22.1.0', '✔', '✖', '✔', '✔', '✔', 'tool: no session, 1 / 2']);
    expect(gemini!.slice(3, 10)).toEqual(['–', '–', '–', '–', '–', '–', 'npm install failed']);
  });

  test('names the package of a version that was published under another name', () => {
    const old = verdict('pi', '0.73.1');
    old.wanted.package = '@mariozechner/pi-coding-agent';
    expect(readRows(renderPage('', [old], whole))[0]).toContain('as `@mariozechner/pi-coding-agent`');
  });

  test('keeps the rows of other versions, unless the engine was tried as a whole', () => {
    const before = renderPage('', [verdict('codex', '0.1.0'), verdict('gemini', '0.1.0')], whole);
    const one = renderPage(before, [verdict('codex', '0.2.0')], whole);
    expect(readRows(one).map(([, version]) => version)).toEqual(['0.2.0', '0.1.0', '0.1.0']);
    const all = renderPage(one, [verdict('codex', '0.3.0')], { ...whole, whole: ['codex'] });
    expect(readRows(all).map(([, version]) => version)).toEqual(['0.3.0', '0.1.0']);
  });
});
