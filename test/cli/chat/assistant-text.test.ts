import { expect, test } from 'vitest';
import { ConversationBuilder } from './conversation-builder.ts';
import { draw } from './draw.ts';

test('a final message shows the text that was not streamed yet', () => {
  const talk = new ConversationBuilder().delta('m', 'One two').delta('m', ' three').final('m', 'One two three four.');
  expect(draw(talk.messages)).toBe('One two three four.');
});

test('a completely streamed message is not shown again', () => {
  const talk = new ConversationBuilder().delta('m', 'One two.\n').final('m', 'One two.').final('m', 'One two.');
  expect(draw(talk.messages)).toBe('One two.');
});

test('leading and trailing white space does not make a different text', () => {
  const talk = new ConversationBuilder().delta('m', '\n\nOne two\n').final('m', 'One two three');
  expect(draw(talk.messages).split(/\s+/)).toEqual(['One', 'two', 'three']);
});

test('a final message with a different text is shown completely, after a blank line', () => {
  const talk = new ConversationBuilder().delta('m', 'I will look into').final('m', 'It is done.');
  expect(draw(talk.messages)).toBe('I will look into\n\nIt is done.');
});

test('a final message with another id than its deltas is still the same message', () => {
  const talk = new ConversationBuilder().delta('m1', 'One two').final('m2', 'One two three');
  expect(draw(talk.final('m2', 'One two three').messages)).toBe('One two three');
});

test('two messages with the same text are two messages', () => {
  const talk = new ConversationBuilder().final('m1', 'Done.').final('m2', 'Done.');
  expect(draw(talk.messages)).toBe('Done.\n\nDone.');
});

test('the same id in another attempt is another message', () => {
  const talk = new ConversationBuilder().final('item_0', 'Done.');
  talk.attempt = 2;
  talk.user('Again').final('item_0', 'Done.');
  expect(draw(talk.messages)).toBe('Done.\n\n› Again\n\nDone.');
});

test('messages streamed at the same time lose nothing', () => {
  const talk = new ConversationBuilder()
    .delta('a', 'First one')
    .delta('b', 'Second one')
    .delta('a', ' goes on')
    .final('b', 'Second one is over.')
    .final('a', 'First one goes on.');
  expect(draw(talk.messages).split(/\s+/).sort()).toEqual('First one Second one goes on is over. .'.split(' ').sort());
});

test('other lines are shown in between, and the message continues after them', () => {
  const talk = new ConversationBuilder()
    .delta('m', 'Let me see: ')
    .call('a', 'started')
    .call('a', 'completed')
    .final('m', 'Let me see: it works.');
  expect(draw(talk.messages, { rewrites: true })).toBe('Let me see:\n\n✔ shell  ls\n\nit works.');
});

test('messages without text are not shown', () => {
  const talk = new ConversationBuilder().user('Go').delta('m', '').delta('m', ' \n').final('n', '').final('m', ' \n');
  expect(draw(talk.messages)).toBe('› Go');
});

test('a message inside of a sub-agent is indented', () => {
  const talk = new ConversationBuilder().call('t', 'started', { name: 'Task' }).final('m', 'Found it.', 't');
  expect(draw(talk.messages)).toBe('⚙ Task  ls\n\n  Found it.');
});

test.each([
  ['streamed', (talk: ConversationBuilder, text: string) => [...text].reduce((all, one) => all.delta('m', one), talk)],
  ['whole', (talk: ConversationBuilder) => talk],
])('the done marker is not shown: %s', (_how, stream) => {
  const text = 'Done.\n\n```json\n{"__SKILL_DONE__": true}\n```\n';
  expect(draw(stream(new ConversationBuilder(), text).final('m', text).messages)).toBe('Done.');
  const alone = '{"__SKILL_DONE__": true}';
  const talk = stream(new ConversationBuilder().final('a', 'Done.'), alone).final('m', alone);
  expect(draw(talk.final('z', 'Bye.').messages)).toBe('Done.\n\nBye.');
  const result = '{"__SKILL_DONE__":true,"file":"a.md"}';
  expect(draw(stream(new ConversationBuilder(), result).final('m', result).messages)).toBe('{"file":"a.md"}');
});

test('a message that ends within a possible marker is shown completely', () => {
  const talk = new ConversationBuilder().delta('m', 'See {"__SKILL').final('n', 'Other.');
  expect(draw(talk.messages)).toBe('See {"__SKILL\n\nOther.');
});
