import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

interface Props {
  /** The other answer; null while it is not known yet. */
  other: string | null;
  text: string;
  onDismiss(): void;
}

/** Another client answered first: shows that answer, and the draft, which is not lost. */
export function AnsweredElsewhere({ other, text, onDismiss }: Props) {
  const say = useText();
  return (
    <div className="dock-answered" role="status">
      <strong>{say(strings.dock.answeredElsewhere)}</strong>
      {other !== null && <LongText text={other} />}
      <p className="quiet">{say(strings.dock.notSent)}</p>
      <LongText text={text} />
      <p className="dock-buttons">
        <CopyButton label={say(strings.app.copy)} text={() => text} />
        <button type="button" onClick={onDismiss}>
          {say(strings.app.close)}
        </button>
      </p>
    </div>
  );
}
