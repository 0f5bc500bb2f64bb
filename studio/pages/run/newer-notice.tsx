import { useStore } from '../../state/store.ts';
import { useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** The record is of a format that this page does not know, and is shown all the same. */
export function NewerNotice() {
  const text = useText();
  const format = useStore(useSession().run, (run) => run?.newer_format ?? null);
  if (format === null) return null;
  return (
    <p className="run-notice" role="status">
      {text(strings.run.newerFormat)(format)}
    </p>
  );
}
