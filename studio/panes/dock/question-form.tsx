import type { FormEvent } from 'react';
import type { AskedQuestion } from '../../../src/protocol/index.ts';
import { completeAnswers, type FormAnswers, isOther, parseAnswers } from '../../model/conversation/form-answers.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { withKey } from '../../parts/controls/key-hint.ts';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { decide } from '../../text/sections/decide.ts';
import { strings } from '../../text/strings.ts';

interface Props {
  questions: readonly AskedQuestion[];
  /** The draft: the answers so far, as JSON. */
  text: string;
  sending: boolean;
  error: Error | null;
  /** Why nothing can be sent; null if it can. */
  disabled: string | null;
  onText(text: string): void;
  onSend(answers: Record<string, string>): void;
}

/** Questions with choices: each is answered by one of them, or, where that is allowed, by a text. */
export function QuestionForm({ questions, text, sending, error, disabled, onText, onSend }: Props) {
  const say = useText();
  const given = parseAnswers(text, questions);
  const answers = completeAnswers(questions, given);
  const isOff = disabled !== null || sending;
  const give = (id: string, answer: string) => onText(JSON.stringify({ ...given, [id]: answer }));

  function send(event?: FormEvent): boolean {
    event?.preventDefault();
    if (isOff || answers === null) return false;
    onSend(answers);
    return true;
  }

  useAction('send', () => send(), 'dock');

  return (
    <form className="dock-reply" onSubmit={send}>
      {questions.map((question) => (
        <Asked key={question.id} question={question} given={given} disabled={isOff} onGive={give} />
      ))}
      <p className="approval-buttons">
        <button
          type="submit"
          className="primary"
          disabled={isOff || answers === null}
          title={withKey(say(strings.dock.send), 'send')}
        >
          {say(sending ? strings.dock.sending : strings.dock.send)}
        </button>
        {disabled !== null && <span className="quiet small">{disabled}</span>}
      </p>
      <Problem error={error} />
    </form>
  );
}

interface AskedProps {
  question: AskedQuestion;
  given: FormAnswers;
  disabled: boolean;
  onGive(id: string, answer: string): void;
}

function Asked({ question, given, disabled, onGive }: AskedProps) {
  const say = useText();
  const { id, text, choices, allow_other } = question;
  const answer = given[id];
  const isFree = choices.length === 0;
  const isOwn = isFree || isOther(question, answer);
  return (
    <fieldset className="dock-asked" disabled={disabled}>
      <legend>
        <span className="dock-asks">
          <span aria-hidden="true">◐</span> {say(strings.dock.question)}
        </span>{' '}
        <bdi>{showUnseen(text)}</bdi>
      </legend>
      {choices.map(({ value, description }) => (
        <label key={value} className="dock-choice">
          <input type="radio" name={`answer-${id}`} checked={answer === value} onChange={() => onGive(id, value)} />
          <span>
            <bdi>{showUnseen(value)}</bdi>
            {description !== null && <bdi className="quiet"> {showUnseen(description)}</bdi>}
          </span>
        </label>
      ))}
      {!isFree && allow_other && (
        <label className="dock-choice">
          <input type="radio" name={`answer-${id}`} checked={isOwn} onChange={() => onGive(id, '')} />
          <span>{say(decide.other)}</span>
        </label>
      )}
      {isOwn && (
        <textarea
          rows={2}
          aria-label={isFree ? text : say(decide.otherAnswer)(text)}
          placeholder={say(strings.dock.reply)}
          value={answer ?? ''}
          onChange={({ target }) => onGive(id, target.value)}
        />
      )}
    </fieldset>
  );
}
