import { useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

/** Shown instead of a list if the filter matches nothing. */
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
