import { expect, test } from 'vitest';
import { ConversationBuilder, clock } from './conversation-builder.ts';
import { draw, ended, openView } from './draw.ts';

test('with rewriting a call has one line from start to end', () => {
  const { view, terminal } = openView({ rewrites: true });
  const show = (act: (talk: ConversationBuilder) => void) => {
    const talk = new ConversationBuilder();
    act(talk);
    view.show(talk.messages);
    return terminal.screen;
  };
  expect(show((talk) => talk.user('Go').call('a', 'started', { summary: 'npm test' }))).toBe(
    '› Go\n\n⚙ shell  npm test',
  );
  view.tick(clock(3900));
  expect(terminal.screen).toBe('› Go\n\n⚙ shell  npm test  3 s');
  expect(show((talk) => talk.call('b', 'started', { name: 'read', summary: 'a.txt' }))).toBe(
    '› Go\n\n⚙ shell  npm test  3 s\n⚙ read  a.txt  3 s',
  );
  expect(show((talk) => talk.call('b', 'failed', { name: 'read', summary: 'a.txt', duration_ms: 400 }))).toBe(
    '› Go\n\n✖ read  a.txt  400 ms\n⚙ shell  npm test  3 s',
  );
  expect(show((talk) => talk.call('a', 'completed', { summary: 'npm test', duration_ms: 4200 }))).toBe(
    '› Go\n\n✖ read  a.txt  400 ms\n✔ shell  npm test  4.2 s\n',
  );
});

test('without rewriting the end of a call is a second line', () => {
  const talk = new ConversationBuilder().call('a', 'started').call('a', 'started').call('a', 'completed');
  expect(draw(talk.messages)).toBe('⚙ shell  ls\n✔ shell  ls');
});

test('many active calls take at most five lines', () => {
  const talk = new ConversationBuilder();
  for (let at = 1; at <= 9; at++) talk.call(`c${at}`, 'started', { summary: `job ${at}` });
  expect(draw(talk.messages, { rewrites: true })).toBe(
    ['⚙ shell  job 1', '⚙ shell  job 2', '⚙ shell  job 3', '⚙ shell  job 4', '⚙ 5 more at work'].join('\n'),
  );
});

test('calls within a sub-agent are listed under it, and under the right one if two are active', () => {
  const talk = new ConversationBuilder()
    .call('x', 'started', { name: 'Task', summary: 'first' })
    .call('y', 'started', { name: 'Task', summary: 'second' })
    .call('x1', 'started', { parent: 'x' })
    .call('x1', 'completed', { parent: 'x' })
    .call('x2', 'completed', { parent: 'x' })
    .call('y1', 'completed', { name: 'Task', summary: 'inner', parent: 'y' })
    .call('z1', 'completed', { parent: 'y1' })
    .call('y', 'completed', { name: 'Task', summary: 'second' })
    .call('x', 'completed', { name: 'Task', summary: 'first' });
  expect(draw(talk.messages, { rewrites: true })).toBe(
    [
      '⚙ Task  first',
      '  ✔ shell  ls',
      '  ✔ shell  ls',
      '⚙ Task  second',
      '  ✔ Task  inner',
      '  ⚙ Task  inner',
      '    ✔ shell  ls',
      '✔ Task  second',
      '✔ Task  first',
    ].join('\n'),
  );
});

test('calls without an end are listed at the end', () => {
  const talk = new ConversationBuilder().call('a', 'started', { summary: 'sleep 99' });
  expect(draw(talk.messages, { rewrites: true }, ended({ status: 'canceled' }))).toBe(
    '◼ shell  sleep 99  no end seen\n\n◼ canceled · 1.0 s · tacho show 1a2b3c4d',
  );
});

test('a long line is truncated in its summary, and keeps its duration', () => {
  const talk = new ConversationBuilder().call('a', 'completed', { summary: 'x'.repeat(99), duration_ms: 65_000 });
  expect(draw(talk.messages, { columns: 30 })).toBe(`✔ shell  ${'x'.repeat(9)}…  1 min 5 s`);
});

test('a name is not repeated, and an invalid duration is not shown', () => {
  const talk = new ConversationBuilder()
    .call('a', 'completed', { name: 'think', summary: 'think', duration_ms: Number.NaN })
    .call('b', 'completed', { name: '', summary: '', duration_ms: -1 });
  expect(draw(talk.messages)).toBe('✔ think\n✔ tool');
});

test('a call changes from dim to green or red', () => {
  const { view, output } = openView({ rewrites: true, colors: true });
  view.show(new ConversationBuilder().call('a', 'started').messages);
  expect(output()).toBe('\u001b[2m⚙ shell  ls\u001b[22m');
  view.show(new ConversationBuilder().call('a', 'completed').call('b', 'failed').messages);
  expect(output().split('\u001b[J')[1]).toBe(
    '\u001b[32m✔\u001b[39m shell\u001b[2m  ls\u001b[22m\n\u001b[31m✖ shell\u001b[39m\u001b[2m  ls\u001b[22m\n',
  );
});
