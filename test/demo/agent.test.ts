import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseScript } from '../../src/demo/agent/choose-script.ts';
import { createDemoParser } from '../../src/engines/demo/parser.ts';
import { parserContext, readLogs, summarize } from '../engines/read-log.ts';
import { finished } from '../support/tacho.ts';
import { agent, of, sessionOf } from './agent-process.ts';

const REPORT = 'tacho-demo-report.md';

describe('the report', () => {
  test('describes the real folder: it is written, fails a real check, is corrected, and needs a title', async () => {
    const { play, folder, home } = agent();
    fs.writeFileSync(path.join(folder, 'notes.txt'), 'x');
    fs.mkdirSync(path.join(folder, 'a folder'));
    const turn = await play(['--prompt=hello']);
    expect(turn).toMatchObject({ code: 0, lines: [], stderr: '' });
    const content = '## In this folder\n\n- a folder\n- notes.txt\n\nTotal: 2\n';
    expect(fs.readFileSync(path.join(folder, REPORT), 'utf8')).toBe(content);
    expect(of(turn.events, 'tool_finished').map(({ name, ok, exit_code }) => [name, ok, exit_code])).toEqual([
      ['run', true, 0],
      ['write_file', true, undefined],
      ['run', false, 1],
      ['write_file', true, undefined],
      ['run', true, 0],
    ]);
    expect(turn.events.slice(0, 2).map(({ type }) => type)).toEqual(['session', 'turn_started']);
    expect(turn.events.slice(-2).map(({ type }) => type)).toEqual(['question', 'turn_finished']);
    expect(turn.events.at(-1)).toMatchObject({ reason: 'question' });
    const kept = path.join(home, '.tacho-demo/sessions', `${sessionOf(turn)}.json`);
    expect(fs.statSync(kept).mode & 0o777).toBe(0o600);
  });

  test('gets its title from the answer, in another process, and is finished', async () => {
    const { play, folder } = agent();
    const first = await play(['--prompt=hello']);
    const second = await play(['--session', sessionOf(first), '--prompt=--Fresh & "new"\nsecond line']);
    expect(second.code).toBe(0);
    expect(sessionOf(second)).toBe(sessionOf(first));
    expect(second.events[1]).toEqual({ type: 'turn_started', turn: 2 });
    expect(fs.readFileSync(path.join(folder, REPORT), 'utf8')).toMatch(/^# --Fresh & "new"\n\n## In this folder\n/);
    expect(of(second.events, 'question')).toEqual([]);
    expect(of(second.events, 'message').at(-1)!.text).toContain('"__SKILL_DONE__":true');
    expect(second.events.at(-1)).toMatchObject({ type: 'turn_finished', reason: 'done' });
  });

  test('is finished without a question in auto mode', async () => {
    const { play, folder } = agent();
    const { events, code } = await play(['--unattended', '--prompt=hello']);
    expect(code).toBe(0);
    expect(of(events, 'question')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ reason: 'done' });
    expect(fs.readFileSync(path.join(folder, REPORT), 'utf8')).toMatch(/^# What is in this folder\n/);
  });

  test('that cannot be written is an ordinary error', async () => {
    const { play, folder } = agent();
    fs.mkdirSync(path.join(folder, REPORT));
    const { code, events } = await play(['--prompt=hello']);
    expect(code).toBe(1);
    expect(of(events, 'tool_finished').at(-1)).toMatchObject({ name: 'write_file', ok: false });
    expect(events.at(-1)).toMatchObject({ type: 'error', message: expect.stringContaining(REPORT) });
  });
});

test('messages are streamed in pieces that add up to the whole, and the usage grows with them', async () => {
  const { events } = await agent().play(['--prompt=hello']);
  for (const { id, text } of [...of(events, 'message'), ...of(events, 'question')]) {
    const pieces = of(events, 'message_delta').filter((piece) => piece.id === id);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  }
  const [{ usage } = { usage: null }] = of(events, 'turn_finished');
  expect(usage!.output_tokens).toBeGreaterThan(50);
  expect(usage!.total_tokens).toBe(usage!.input_tokens + usage!.output_tokens);
});

test('its parser understands the complete output of every script', async () => {
  for (const words of [['--prompt=hello'], ['--prompt=fail'], ['--prompt=approve', '--approval-wait=50']]) {
    const { events } = await agent().play(words);
    const stdout = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    const { warnings, session_id } = summarize(readLogs(createDemoParser(parserContext('demo')), { stdout }));
    expect(warnings).toEqual([]);
    expect(session_id).toMatch(/^demo-[0-9a-f]{12}$/);
  }
});

describe('the script', () => {
  test('is chosen by a word of the prompt', () => {
    expect(chooseScript('Please FAIL now').name).toBe('fail');
    expect(chooseScript('take it slow').name).toBe('slow');
    expect(chooseScript('I will approve it').name).toBe('approve');
    expect(chooseScript('what about failures, slowness and approval?').name).toBe('report');
    expect(chooseScript('').name).toBe('report');
  });

  test('fail ends with an error and exit code 1, after a program that could not be started', async () => {
    const { code, events } = await agent().play(['--prompt=please fail']);
    expect(code).toBe(1);
    expect(of(events, 'tool_finished').at(-1)).toMatchObject({ ok: false, exit_code: null });
    expect(events.at(-1)!.type).toBe('error');
    expect(of(events, 'turn_finished')).toEqual([]);
  });

  test('slow runs ten rounds, and ends at once on a signal', async () => {
    const { events } = await agent().play(['--prompt=slow']);
    expect(of(events, 'tool_finished')).toHaveLength(10);
    expect(events.at(-1)).toMatchObject({ reason: 'done' });

    const child = agent().start(['--pace=1', '--prompt=slow']);
    child.stdout!.once('data', () => child.kill('SIGTERM'));
    expect(await finished(child)).toMatchObject({ signal: 'SIGTERM' });
  });

  test('stays the same in a session, whatever the answer is', async () => {
    const { play } = agent();
    const first = await play(['--prompt=hello']);
    const second = await play(['--session', sessionOf(first), '--prompt=fail']);
    expect(second.code).toBe(0);
    expect(of(second.events, 'session')[0]!.script).toBe('report');
  });
});

describe('the agent refuses', () => {
  test('an unknown or invalid session', async () => {
    const { play } = agent();
    for (const session of ['demo-000000000000', '../../etc/passwd', '']) {
      const { code, events } = await play(['--session', session, '--prompt=go on']);
      expect(code).toBe(1);
      expect(events).toEqual([{ type: 'error', message: expect.stringContaining('session') }]);
    }
  });

  test('unknown arguments, with a line on stderr and exit code 2', async () => {
    const { play } = agent();
    for (const words of [[], ['--prompt'], ['--prompt=x', '--pace=fast'], ['--prompt=x', '--mood=good'], ['extra']]) {
      const { code, events, stderr } = await play(words);
      expect(code).toBe(2);
      expect(events).toEqual([]);
      expect(stderr).toMatch(/^tacho-demo-agent: .+\n\nUsage: /);
    }
  });
});
