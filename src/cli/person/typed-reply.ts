import { type Reply, type RunQuestion, TachoError, typedAnswer } from '../../protocol/index.ts';

/** A text, or answers by the ids of the single questions. */
export type TypedReply = Pick<Reply, 'text' | 'answers'>;

/** The reply from a command line. A choice can be given by its number; `given` are words such as `colour=red`. */
export function typedReply(question: RunQuestion | null, text: string, given: readonly string[] = []): TypedReply {
  const questions = question?.questions ?? [];
  if (given.length > 0) {
    if (text.trim() !== '') throw usage('there are two answers', 'Give --answer or a text, not both.');
    const pairs = given.map(pairOf);
    return {
      answers: Object.fromEntries(
        pairs.map(([id, value]) => {
          const asked = questions.find((one) => one.id === id);
          return [id, (asked && typedAnswer(asked, value)) ?? value];
        }),
      ),
    };
  }
  const [only, ...more] = questions;
  if (!only || more.length > 0) return { text };
  return { text: typedAnswer(only, text) ?? text };
}

function pairOf(word: string): [string, string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw usage(`--answer must be <id>=<value>, got "${word}"`, 'Example: --answer colour=red');
}

function usage(message: string, fix: string): TachoError {
  return new TachoError('USAGE', message, { fix });
}
