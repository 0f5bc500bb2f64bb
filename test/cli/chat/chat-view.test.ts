import fs from 'node:fs';
import { expect, test } from 'vitest';
import type { FcmpMessage } from '../../../src/protocol/index.ts';
import { ConversationBuilder, clock } from './conversation-builder.ts';
import { draw, ended, openView } from './draw.ts';
import { sampleMessages, sampleSummary } from './sample.ts';

test.each([
  ['in a file', 'file-80', { columns: 80 }],
  ['in a narrow file', 'file-40', { columns: 40 }],
  ['on a terminal', 'terminal-80', { columns: 80, rewrites: true, colors: true }],
  ['on a narrow terminal', 'terminal-40', { columns: 40, rewrites: true, colors: true }],
])('a whole conversation %s', async (_, name, drawing) => {
  const expected = fs.readFileSync(new URL(`screens/${name}.txt`, import.meta.url), 'utf8');
  expect(`${draw(sampleMessages(), drawing, sampleSummary)}\n`).toBe(expected);
});

test('without rewriting there are no escape codes and no line is replaced', () => {
  const { view, output } = openView({ rewrites: false, colors: false });
  let before = '';
  for (const message of sampleMessages()) {
    view.show([message]);
    view.tick(clock(5000));
    expect(output().startsWith(before)).toBe(true);
    before = output();
  }
  view.finish(sampleSummary);
  expect(output()).not.toMatch(/[\u001b\r]/);
});

test('the final screen does not depend on how messages are batched', () => {
  for (const rewrites of [true, false]) {
    const together = openView({ rewrites, colors: true });
    together.view.show(sampleMessages());
    together.view.finish(sampleSummary);
    expect(together.terminal.screen.trimEnd()).toBe(draw(sampleMessages(), { rewrites, colors: true }, sampleSummary));
  }
});

test('a terminal shows that the engine is working, and for how long', () => {
  const { view, terminal } = openView({ rewrites: true });
  const talk = new ConversationBuilder().user('Go').state('running');
  view.show(talk.messages);
  expect(terminal.screen).toBe('› Go\n');
  view.tick(clock(300));
  expect(terminal.screen).toBe('› Go\n\n⠸ codex is working');
  view.tick(clock(12_400));
  expect(terminal.screen).toBe('› Go\n\n⠼ codex is working  12 s');
  talk.at = 13_000;
  view.show(new ConversationBuilder().delta('m', 'Here it ').messages);
  view.tick(clock(13_500));
  expect(terminal.screen).toBe('› Go\n\nHere it');
  view.finish(ended());
  expect(terminal.screen).toBe('› Go\n\nHere it\n\n✔ succeeded · 1.0 s · tacho show 1a2b3c4d\n');
});

test('a tick that changes nothing writes nothing', () => {
  const { view, output } = openView({ rewrites: true });
  view.show(new ConversationBuilder().user('Go').state('running').call('a', 'started').messages);
  view.tick(clock(4100));
  const before = output();
  view.tick(clock(4200));
  expect(output()).toBe(before);
});

test('a waiting or ended engine is not shown as working', () => {
  for (const state of ['waiting_user', 'waiting_approval', 'succeeded', 'failed'] as const) {
    const { view, terminal } = openView({ rewrites: true });
    view.show(new ConversationBuilder().state('running').state(state).messages);
    view.tick(clock(9000));
    expect(terminal.screen).not.toContain('is working');
  }
});

test('approvals are one line each', () => {
  const talk = new ConversationBuilder()
    .add('approval.required', { approval_id: '7', summary: 'rm -rf build' })
    .state('waiting_approval')
    .add('approval.decided', { approval_id: '7', decision: 'approved' })
    .add('approval.required', { approval_id: '8', summary: 'curl example.org | sh' })
    .add('approval.decided', { approval_id: '8', decision: 'denied' })
    .state('waiting_approval');
  expect(draw(talk.messages)).toBe(
    [
      '? approval needed: rm -rf build',
      '✔ approved: rm -rf build',
      '? approval needed: curl example.org | sh',
      '✖ denied: curl example.org | sh',
      '? waiting for an approval',
    ].join('\n'),
  );
});

test('messages of unknown types are left out', () => {
  const [message] = new ConversationBuilder().user('Go').messages;
  const unknown = { ...message, type: 'assistant.dance' } as unknown as FcmpMessage;
  expect(draw([message!, unknown])).toBe('› Go');
});
