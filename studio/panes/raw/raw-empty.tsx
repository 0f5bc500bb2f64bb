import type { StreamName } from '../../model/bytes/raw-ranges.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import type { RawState } from './raw-reader.ts';

/** Why there are no bytes to see. */
export function RawEmpty({ name: { stream, attempt }, state }: { name: StreamName; state: RawState }) {
  const text = useText();
  switch (state.phase) {
    case 'loading':
      return <p className="notice">{text(strings.app.loading)}</p>;
    case 'absent':
      return <p className="notice">{text(strings.raw.absent)(stream, attempt)}</p>;
    case 'failed':
      return (
        <p className="notice" role="alert">
          {text(strings.app.failedToLoad)(state.error.message)}
        </p>
      );
    case 'ready':
      return (
        <p className="notice">
          {stream === 'stdin' ? text(strings.raw.nothingTyped) : text(strings.raw.empty)(stream)}
        </p>
      );
  }
}
