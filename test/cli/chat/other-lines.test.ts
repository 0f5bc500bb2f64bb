import { expect, test } from 'vitest';
import { createChatView } from '../../../src/cli/chat/chat-view.ts';
import { ConversationBuilder } from './conversation-builder.ts';
import { draw, ended, openView } from './draw.ts';

const asked = (prompt: string) => ({ interaction_id: '1.1', prompt });
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

test('a long prompt is cut after twelve lines', () => {
  const shown = draw(new ConversationBuilder().user(`\n${numbered(40).join('\n')}\n\n`).messages).split('\n');
  expect(shown).toEqual([...numbered(12).map((line) => `› ${line}`), '› … 28 more lines']);
  expect(draw(new ConversationBuilder().user('one\n\n  two').messages)).toBe('› one\n›\n›   two');
});

test('reasoning is shortened to its first sentence', () => {
  const think = (text: string, columns = 80) =>
    draw(new ConversationBuilder().add('assistant.reasoning', { text }).messages, { columns });
  expect(think('Short.')).toBe('✻ thought: Short.');
  expect(think('Look at v1.2 first. Then go on.')).toBe('✻ thought: Look at v1.2 first. …');
  expect(think('**Title**\n\nBody')).toBe('✻ thought: Title …');
  expect(think('A sentence that is far too long for this window.', 30)).toBe('✻ thought: A sentence that is…');
  expect(think(' \n')).toBe('');
});

test('raw output has a bar in front, and at most eight lines per block', () => {
  const talk = new ConversationBuilder().raw(numbered(5).join('\n')).raw(numbered(5).join('\n'), 'stdout').raw('x\n');
  const block = [...numbered(5), ...numbered(3)].map((line) => `│ ${line}`);
  const more = '│ … 3 more lines (tacho raw 1a2b3c4d)';
  expect(draw(talk.messages, { rewrites: true }).split('\n')).toEqual([...block, more]);
  expect(draw(talk.messages).split('\n')).toEqual(block);
  talk.call('a', 'completed').raw('again\n');
  expect(draw(talk.messages).split('\n')).toEqual([...block, more, '✔ shell  ls', '│ again']);
});

test('raw output cannot control the terminal, shows the last state of a progress line, and skips lines of controls', () => {
  const text = '\u001b[31mred\u001b[0m\u0007 bell\n10 %\r20 %\r100 %\r\n\u001b[2J\n\tindented\n\u0000\u0001\n';
  expect(draw(new ConversationBuilder().raw(text).messages).split('\n')).toEqual([
    '│ red␇ bell',
    '│ 100 %',
    '│     indented',
  ]);
});

test('a plan is shown completely at first, and later only its changes', () => {
  const talk = new ConversationBuilder()
    .add('assistant.plan', {
      items: [{ content: 'Read', status: 'in_progress' }, 'Write', { text: 'Test', status: 'pending' }, { odd: 1 }],
    })
    .add('assistant.plan', {
      items: [{ content: 'Read', status: 'completed' }, 'Write', { text: 'Test', status: 'pending' }, { odd: 1 }],
    })
    .add('assistant.plan', {
      items: [{ content: 'Read', completed: true }, 'Write', { text: 'Test', status: 'pending' }, { odd: 1 }],
    });
  expect(draw(talk.messages)).toBe(
    'plan  0 of 4 done\n  ▸ Read\n  ☐ Write\n  ☐ Test\n  ☐ {"odd":1}\n\nplan  1 of 4 done\n  ☑ Read',
  );
});

test('changed files are one line at the end of the attempt', () => {
  const talk = new ConversationBuilder();
  const change = (path: string, how: 'created' | 'modified' | 'deleted') =>
    talk.add('artifact.changed', { path, change: how });
  change('a.txt', 'created');
  change('b.txt', 'modified');
  change('c.txt', 'deleted');
  expect(draw(talk.messages)).toBe('');
  const screen = draw(talk.final('m', 'Hi').messages, {}, ended());
  expect(screen).toBe('Hi\n\nfiles: +a.txt ~b.txt -c.txt\n✔ succeeded · 1.0 s · tacho show 1a2b3c4d');
  talk.attempt = 2;
  expect(draw(talk.user('Go on').messages)).toBe('Hi\n\nfiles: +a.txt ~b.txt -c.txt\n\n› Go on');
});

test('files that do not fit into the line are counted', () => {
  const talk = new ConversationBuilder();
  for (let at = 1; at <= 30; at++) talk.add('artifact.changed', { path: `src/file-${at}.ts`, change: 'created' });
  const lines = draw(talk.messages, { columns: 60 }, ended()).split('\n');
  expect(lines[0]).toBe('files: +src/file-1.ts +src/file-2.ts … 28 more');
  const long = new ConversationBuilder().add('artifact.changed', { path: 'x'.repeat(99), change: 'deleted' });
  expect(draw(long.messages, { columns: 20 }, ended()).split('\n')[0]).toBe(`files: -${'x'.repeat(11)}…`);
});

test('a question is shown with its choices and how to answer it', () => {
  const talk = new ConversationBuilder().add('user.input.required', {
    interaction_id: '1.1',
    kind: 'single_choice',
    prompt: 'Which database?',
    options: ['sqlite', { label: 'postgres', description: 'needs a server' }],
  });
  expect(draw(talk.state('waiting_user').messages, {}, ended({ status: 'waiting_user', question: asked('x') }))).toBe(
    [
      '? Which database?',
      '    1. sqlite',
      '    2. postgres – needs a server',
      '',
      '? waiting for your answer · 1.0 s · tacho resume 1a2b3c4d "your answer"',
    ].join('\n'),
  );
});

test('a question that is already on the screen is not repeated', () => {
  const talk = new ConversationBuilder()
    .final('m', 'Which one?')
    .add('user.input.required', { interaction_id: '1.1', kind: 'free_text', prompt: 'Which one?' });
  expect(draw(talk.messages)).toBe('Which one?');
});

test('a run that waits without a question says how to answer', () => {
  const end = ended({ status: 'waiting_user', question: asked('Which one?') });
  expect(draw([], {}, end)).toBe(
    '? Which one?\n\n? waiting for your answer · 1.0 s · tacho resume 1a2b3c4d "your answer"',
  );
});

test('a message typed below the chat is not shown again', () => {
  const talk = new ConversationBuilder().final('m', 'Which one?');
  const { view, terminal } = openView();
  view.show(talk.messages);
  view.ask(asked('Which one?'));
  terminal.write('\n› this one\n');
  view.typed('this one');
  talk.attempt = 2;
  view.show(talk.user('this one').final('n', 'Done.').messages.slice(-2));
  expect(terminal.screen.trimEnd()).toBe('Which one?\n\n› this one\n\nDone.');
});

test('nothing is drawn below the chat while the user types there', () => {
  const talk = new ConversationBuilder().state('running').call('a', 'started', { summary: 'npm test' });
  const { view, terminal } = openView({ rewrites: true });
  view.show(talk.messages);
  expect(terminal.screen).toContain('npm test');
  view.hold();
  view.tick(Date.now());
  expect(terminal.screen.trim()).toBe('');
  view.release();
  expect(terminal.screen).toContain('npm test');
});

test.each([
  [{ status: 'failed', reason_code: 'ENGINE_ERROR' }, '✖ failed · ENGINE_ERROR · 1.0 s · tacho show 1a2b3c4d'],
  [{ status: 'canceled', reason_code: 'CANCELED' }, '◼ canceled · 1.0 s · tacho show 1a2b3c4d'],
  [{ status: 'waiting_approval' }, '? waiting for an approval · 1.0 s · tacho show 1a2b3c4d'],
  [{ usage: { input_tokens: 23_900, output_tokens: 118 } }, '24.0k tokens (23.9k in, 118 out)'],
  [
    {
      usage: {
        input_tokens: 18,
        cached_input_tokens: 34_984,
        cache_write_tokens: 29_690,
        output_tokens: 234,
        total_tokens: 64_926,
      },
    },
    '64.9k tokens (18 in, 35.0k cache read, 29.7k cache write, 234 out)',
  ],
  [{ usage: { total_tokens: 1_234_567, cost_usd: 12.345 } }, ' · 1.2M tokens · $12.35 · '],
  [{ usage: { cost_usd: 0.00001 } }, ' · 1.0 s · <$0.0001 · '],
  [{ usage: {}, model: 'gpt-5.5' }, '✔ succeeded · 1.0 s · gpt-5.5 · tacho show 1a2b3c4d'],
  [{ durationMs: -5, model: '\u001b[2Jx' }, '✔ succeeded · 0 ms · x · '],
])('the closing line for %j', (changes, expected) => {
  expect(draw([], {}, ended(changes))).toContain(expected);
});

test('a closing line that does not fit is wrapped between its facts', () => {
  const changes = { model: 'some-provider/some-very-long-model-name', usage: { total_tokens: 240 } };
  expect(draw([], { columns: 40 }, ended(changes)).split('\n')).toEqual([
    '✔ succeeded · 1.0 s',
    '  some-provider/some-very-long-model-nam',
    '  e · 240 tokens · tacho show 1a2b3c4d',
  ]);
});

test('follows changes of the window size', () => {
  let columns = 80;
  const output: string[] = [];
  const view = createChatView({
    write: (text) => void output.push(text),
    get columns() {
      return columns;
    },
    rewrites: true,
    colors: false,
  });
  view.show(new ConversationBuilder().final('a', 'one two three four five six').messages);
  columns = 20;
  view.show(new ConversationBuilder().final('b', 'one two three four five six').messages);
  expect(output.join('')).toBe('one two three four five six\n\none two three four\nfive six\n');
});
