import { expect, test } from 'vitest';
import { runRequestSchema, TachoError } from '../../src/protocol/index.ts';
import { parseLengthOfTime } from '../../studio/model/length-of-time.ts';
import { parseArgv } from '../../studio/model/runs/argv.ts';
import { EMPTY_FORM, requestOf } from '../../studio/model/runs/new-run.ts';
import { refusalOf } from '../../studio/model/runs/refusal.ts';

test.each([
  ['', []],
  ['  ls   -la ', ['ls', '-la']],
  [`sh -c 'echo "hi there" | wc'`, ['sh', '-c', 'echo "hi there" | wc']],
  ['echo "a \\"b\\" \\n $HOME"', ['echo', 'a "b" \\n $HOME']],
  ['echo a\\ b \'\' ""', ['echo', 'a b', '', '']],
  [`one'two'"three"`, ['onetwothree']],
  ['echo * > file && rm x', ['echo', '*', '>', 'file', '&&', 'rm', 'x']],
  ['a\nb\tc', ['a', 'b', 'c']],
])('splits a line into arguments without a shell: %j', (line, argv) => {
  expect(parseArgv(line)).toEqual({ argv, open: null });
});

test('reports an unclosed quote', () => {
  expect(parseArgv(`echo 'a`).open).toBe("'");
  expect(parseArgv('echo "a').open).toBe('"');
  expect(parseArgv('echo a\\').open).toBe('\\');
});

test.each([
  ['90', 90_000],
  ['90 s', 90_000],
  ['1.5s', 1500],
  ['10 min', 600_000],
  ['10m', 600_000],
  ['1h 30m', 5_400_000],
  ['250ms', 250],
  ['soon', null],
  ['10 years', null],
  ['-5', null],
])('parses a duration: %s', (text, ms) => {
  expect(parseLengthOfTime(text)).toBe(ms);
});

test('a form makes a request that the server accepts', () => {
  const form = {
    ...EMPTY_FORM,
    engine: 'codex',
    prompt: 'fix it',
    mode: 'interactive' as const,
    model: ' small ',
    cwd: '/work',
    timeout: '10 min',
    tokens: '5000',
    cost: '0.5',
    priority: '−3',
    replyAfter: '1 h',
    replyText: 'go on',
  };
  const request = requestOf(form);
  expect(request).toEqual({
    run: {
      engine: 'codex',
      prompt: 'fix it',
      mode: 'interactive',
      model: 'small',
      cwd: '/work',
      priority: -3,
      limits: { timeout_ms: 600_000, total_tokens: 5000, cost_usd: 0.5 },
      auto_reply: { after_ms: 3_600_000, text: 'go on' },
    },
  });
  expect('run' in request && runRequestSchema.safeParse(request.run).success).toBe(true);
});

test('a command has no prompt, no mode and no reply', () => {
  const form = { ...EMPTY_FORM, what: 'command' as const, command: 'ls -la', prompt: 'left over', replyText: 'x' };
  expect(requestOf(form)).toEqual({ run: { command: ['ls', '-la'] } });
});

test('errors of a form are shown at its fields', () => {
  const form = { ...EMPTY_FORM, timeout: 'soon', tokens: 'many', mode: 'interactive' as const, replyText: 'yes' };
  expect(requestOf(form)).toEqual({
    mistakes: { engine: 'needed', prompt: 'needed', timeout: 'notDuration', tokens: 'notNumber', replyAfter: 'needed' },
  });
  expect(requestOf({ ...EMPTY_FORM, what: 'command', command: 'echo "' })).toEqual({
    mistakes: { command: 'unclosed' },
  });
});

test('errors of the server are shown at their fields', () => {
  const issues = [
    { path: '/model', message: 'no such thing' },
    { path: '/limits/timeout_ms', message: 'too small' },
    { path: '/command/2', message: 'too long' },
  ];
  expect(refusalOf(new TachoError('INVALID_REQUEST', 'body/model', { facts: { issues }, fix: 'See openapi' }))).toEqual(
    {
      fields: { model: 'no such thing', timeout: 'too small', command: 'too long' },
      general: null,
      fix: null,
    },
  );
  expect(refusalOf(new TachoError('CWD_NOT_FOUND', '/x is not a folder', { fix: 'Give another.' }))).toEqual({
    fields: { cwd: '/x is not a folder' },
    general: null,
    fix: 'Give another.',
  });
  expect(refusalOf(new TachoError('QUEUE_FULL', 'full', { fix: 'Wait.' }))).toEqual({
    fields: {},
    general: 'full',
    fix: 'Wait.',
  });
});
