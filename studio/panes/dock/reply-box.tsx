import { useEffect, useRef } from 'react';
import type { Question } from '../../../src/record/index.ts';
import { suggestions } from '../../model/conversation/reply-draft.ts';
import { withKey } from '../../parts/controls/key-hint.ts';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

interface Props {
  question: Question;
  text: string;
  sending: boolean;
  error: Error | null;
  /** Why nothing can be sent; null if it can. */
  disabled: string | null;
  onText(text: string): void;
  onSend(): void;
}

/** The question of the run, and the box for the answer. */
export function ReplyBox({ question, text, sending, error, disabled, onText, onSend }: Props) {
  const say = useText();
  const box = useRef<HTMLTextAreaElement>(null);
  const several = question.kind === 'multi_choice';
  const given = suggestions(question.options);
  const offered =
    given.length === 0 && question.kind === 'confirm' ? [say(strings.dock.yes), say(strings.dock.no)] : given;

  // Once per question, and only if nothing else has the focus: text being typed elsewhere is never taken away.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per question.
  useEffect(() => {
    if (document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, [question.interaction_id]);

  useAction('send', () => (disabled === null ? onSend() : false), 'dock');

  function choose(words: string): void {
    onText(several && text.trim() !== '' ? `${text.trimEnd()}\n${words}` : words);
    box.current?.focus();
  }

  return (
    <form
      className="dock-reply"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <div className="dock-question">
        <span className="dock-asks">
          <span aria-hidden="true">◐</span> {say(strings.dock.question)}
        </span>
        <Markdown text={question.prompt} />
      </div>
      {offered.length > 0 && (
        <fieldset className="dock-options">
          <legend className="heard">{say(strings.dock.suggested)}</legend>
          {offered.map((words) => (
            <button key={words} type="button" disabled={disabled !== null} onClick={() => choose(words)}>
              <bdi>{words}</bdi>
            </button>
          ))}
        </fieldset>
      )}
      <div className="dock-write">
        <textarea
          ref={box}
          rows={2}
          aria-label={say(strings.dock.reply)}
          placeholder={say(strings.dock.reply)}
          value={text}
          readOnly={disabled !== null}
          onChange={({ target }) => onText(target.value)}
        />
        <button
          type="submit"
          className="primary"
          disabled={disabled !== null || sending || text.trim() === ''}
          title={withKey(say(strings.dock.send), 'send')}
        >
          {say(sending ? strings.dock.sending : strings.dock.send)}
        </button>
      </div>
      {disabled !== null && <p className="quiet small">{disabled}</p>}
      <Problem error={error} />
    </form>
  );
}
