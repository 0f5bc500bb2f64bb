import fc from 'fast-check';
import pico from 'picocolors';
import { expect, test } from 'vitest';
import type { ChatSummary } from '../../../src/cli/chat/chat-view.ts';
import { columnsOf } from '../../../src/cli/chat/columns.ts';
import { collectLines } from '../../../src/cli/chat/line-sink.ts';
import { createMarkdown } from '../../../src/cli/chat/markdown.ts';
import type { FcmpMessage } from '../../../src/protocol/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { ConversationBuilder, clock } from './conversation-builder.ts';
import { ended, openView } from './draw.ts';

/** Ordinary and hostile texts of engines, tools and users. */
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('word', 'a', 'longer-word', ' ', ' ', '\n', '. ') },
  { weight: 3, arbitrary: fc.constantFrom('`', '**', '# ', '- ', '12. ', '> ', '    ', '\t', '{', '|', '~', '*', '#') },
  {
    weight: 3,
    arbitrary: fc.constantFrom('日本語', '。', '「', '한국', '🎉', '👩‍💻', '🇩🇪', 'e\u0301', '❤\ufe0f', '\u200d'),
  },
  { weight: 2, arbitrary: fc.constantFrom('\u001b[2J', '\u001b[35;1m', '\u001b]0;t\u0007', '\u001b', '\r', '\u0000') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\u202e', '\u009b', '\u0085', '\u2028', '\ud83d', '\u0008', '\u007f', '\u00a0'),
  },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(90), '漢'.repeat(50), '👩‍'.repeat(20), 'a\u0300'.repeat(30)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);
const anyText = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
/** Lines of code are not wrapped, so texts for width checks have no fence. */
const proseText = anyText.map((text) => text.replaceAll(/`{3,}|~{3,}/g, ''));
const fencedText = fc
  .array(fc.oneof(anyText, fc.constantFrom('\n```json\n', '\n```\n', '\n~~~\n', '{"__SKILL_DONE__": true}')))
  .map((pieces) => pieces.join(''));

type Step = (talk: ConversationBuilder) => void;

function steps(text: fc.Arbitrary<string>): fc.Arbitrary<Step> {
  const id = fc.constantFrom('a', 'b', 'c');
  const parent = fc.option(fc.constantFrom('a', 'b', 'z'), { nil: undefined });
  const says = fc.tuple(text, id, parent);
  const calls = fc.tuple(id, text, text, parent, fc.option(fc.double(), { nil: undefined }));
  const states = fc.constantFrom('running', 'waiting_user', 'waiting_approval', 'failed', 'succeeded');
  return fc.oneof(
    says.map(
      ([said, message, under]): Step =>
        (talk) =>
          void talk.delta(message, said, under),
    ),
    says.map(
      ([said, message, under]): Step =>
        (talk) =>
          void talk.final(message, said, under),
    ),
    fc.tuple(calls, fc.constantFrom('started', 'completed', 'failed')).map(
      ([[call, name, summary, under, duration_ms], state]): Step =>
        (talk) =>
          void talk.call(call, state, {
            name,
            summary,
            ...(under === undefined ? {} : { parent: under }),
            ...(duration_ms === undefined ? {} : { duration_ms }),
          }),
    ),
    fc
      .tuple(fc.constantFrom('ENGINE_RETRY', 'ENGINE_ERROR', 'NEW_CODE'), text, fc.constantFrom('error', 'warning'))
      .map(
        ([code, message, severity]): Step =>
          (talk) =>
            void talk.diagnostic(code, message, severity),
      ),
    fc.tuple(text, fc.constantFrom('stdout', 'stderr')).map(
      ([printed, stream]): Step =>
        (talk) =>
          void talk.raw(printed, stream),
    ),
    states.map(
      (state): Step =>
        (talk) =>
          void talk.state(state),
    ),
    fc.tuple(text, fc.nat(9)).map(
      ([words, which]): Step =>
        (talk) => {
          if (which === 0) talk.attempt++;
          else if (which === 1) talk.user(words);
          else if (which === 2) talk.add('assistant.reasoning', { text: words });
          else if (which === 3) talk.add('assistant.plan', { items: [words, { text: words, status: words }, null, 1] });
          else if (which === 4) talk.add('artifact.changed', { path: words, change: 'created' });
          else if (which === 5) talk.add('approval.required', { approval_id: '1', summary: words });
          else if (which === 6) talk.add('approval.decided', { approval_id: '1', decision: words });
          else if (which === 7) {
            const options = [words, { label: words, description: words }, null, { a: words }];
            talk.add('user.input.required', { interaction_id: '1', kind: 'form', prompt: words, options });
          } else {
            const error = { category: 'engine' as const, code: words, message: words };
            talk.add('conversation.failed', { error });
          }
        },
    ),
  );
}

function conversation(text: fc.Arbitrary<string>): fc.Arbitrary<FcmpMessage[]> {
  return fc.array(steps(text), { maxLength: 25 }).map((acts) => {
    const talk = new ConversationBuilder();
    for (const act of acts) act(talk);
    return talk.messages;
  });
}

function summaryOf(text: fc.Arbitrary<string>): fc.Arbitrary<ChatSummary> {
  return fc
    .tuple(fc.constantFrom('succeeded', 'failed', 'canceled', 'waiting_user', 'odd'), text, fc.double())
    .map(([status, words, number]) =>
      ended({
        status,
        reason_code: words,
        model: words,
        question: { interaction_id: '1.1', prompt: words },
        durationMs: number,
        usage: { cost_usd: number },
      }),
    );
}

const drawing = fc.record({ columns: fc.integer({ min: 20, max: 100 }), rewrites: fc.boolean(), colors: fc.boolean() });

test('no line is ever wider than the window', () => {
  fc.assert(
    fc.property(conversation(proseText), summaryOf(proseText), drawing, (messages, summary, options) => {
      const { view, terminal } = openView(options);
      const check = () => {
        for (const row of terminal.rows) expect(columnsOf(row), row).toBeLessThanOrEqual(options.columns);
      };
      for (const [at, message] of messages.entries()) {
        view.show([message]);
        view.tick(clock(at * 700));
        check();
      }
      view.finish(summary);
      check();
    }),
    { numRuns: proofSize({ small: 90, full: 300 }) },
  );
});

test('no foreign control character reaches the terminal', () => {
  fc.assert(
    fc.property(conversation(fencedText), summaryOf(fencedText), drawing, (messages, summary, options) => {
      // The test terminal throws on any other.
      const { view, output } = openView(options);
      for (const message of messages) view.show([message]);
      view.finish(summary);
      if (!options.rewrites) expect(output()).not.toContain('\r');
      if (!options.rewrites && !options.colors) expect(output()).not.toContain('\u001b');
    }),
    { numRuns: proofSize({ small: 90, full: 300 }) },
  );
});

test('the final screen does not depend on how messages are batched', () => {
  fc.assert(
    fc.property(conversation(fencedText), drawing, (messages, options) => {
      const one = openView(options);
      for (const [at, message] of messages.entries()) {
        one.view.show([message]);
        one.view.tick(clock(at * 700));
      }
      const all = openView(options);
      all.view.show(messages);
      one.view.finish(ended());
      all.view.finish(ended());
      expect(one.terminal.screen).toBe(all.terminal.screen);
    }),
    { numRuns: proofSize({ small: 60, full: 200 }) },
  );
});

test('a streamed text looks like one that arrives whole', () => {
  const cuts = fc.array(fc.nat(280), { maxLength: 8 });
  // The held-back text has a limit, beyond which markup counts as text.
  const shortText = fencedText.map((text) => text.slice(0, 280));
  fc.assert(
    fc.property(shortText, cuts, fc.boolean(), fc.integer({ min: 20, max: 60 }), (text, places, colored, columns) => {
      const render = (pieces: readonly string[]) => {
        const sink = collectLines();
        const colors = pico.createColors(colored);
        const markdown = createMarkdown({ sink, columns: () => columns, colors, indent: 0 });
        for (const each of pieces) markdown.push(each);
        markdown.flush();
        return sink.lines;
      };
      const ends = [0, ...places.filter((place) => place < text.length).sort((a, b) => a - b), text.length];
      expect(render(ends.slice(1).map((end, at) => text.slice(ends[at], end)))).toEqual(render([text]));
    }),
    { numRuns: proofSize({ small: 150, full: 500 }) },
  );
});

test('every letter of a text is on the screen, in order', () => {
  const letters = (text: string) => text.replaceAll(/[\s`*#]/g, '');
  const words = fc.array(fc.constantFrom('one', 'two ', ' `three`', '**four** ', '\n', '\n\n', '- ', '日本', '🎉 '));
  fc.assert(
    fc.property(words, drawing, (pieces, options) => {
      const talk = new ConversationBuilder();
      for (const each of pieces) talk.delta('m', each);
      const { view, terminal } = openView({ ...options, colors: true });
      view.show(talk.final('m', pieces.join('')).messages);
      expect(letters(terminal.screen)).toBe(letters(pieces.join('')));
    }),
  );
});
