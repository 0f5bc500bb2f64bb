import { useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

/** In place of a list of which the filter leaves nothing. */
export function NoMatch({ words, onClear }: { words: string; onClear(): void }) {
  const text = useText();
  return (
    <div className="notice">
      <strong>{words}</strong>
      <button type="button" onClick={onClear}>
        {text(strings.app.clear)}
      </button>
    </div>
  );
}
