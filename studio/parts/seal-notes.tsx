import './seal-notes.css';
import type { RunView } from '../../src/protocol/index.ts';
import { useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

const NOTES = [
  ['recovered', strings.seals.recoveredMeans],
  ['older_than_ledger', strings.seals.older],
] as const;

/** Reports that recovery sealed an attempt of the run. */
export function Recovered({ attempts }: { attempts: readonly number[] | undefined }) {
  const text = useText();
  if (!attempts) return null;
  return (
    <span className="quiet" title={text(strings.seals.recoveredMeans)(attempts.join(', '))}>
      {text(strings.seals.recovered)}
    </span>
  );
}

/** Reports that tacho did not record the engine itself. */
export function Source({ source }: { source: RunView['source'] }) {
  const text = useText();
  if (!source) return null;
  return (
    <span className="quiet" title={text(strings.seals.watchedMeans)(source.path)}>
      {text(strings.seals.watched)}
    </span>
  );
}

/** Notes about the seals of a record, with any verdict. Older servers report fewer. */
export function SealNotes({ answer }: { answer: Readonly<Record<string, unknown>> }) {
  const text = useText();
  const head = answer.ledger_head;
  const source = answer.source as RunView['source'] | null;
  return (
    <>
      {NOTES.map(([field, words]) => {
        const value = answer[field];
        return Array.isArray(value) && value.length > 0 && <p key={field}>{text(words)(value.join(', '))}</p>;
      })}
      {source && <p>{text(strings.seals.watchedMeans)(source.path)}</p>}
      {typeof head === 'string' && (
        <p className="quiet">
          {text(strings.seals.listed)} <code className="bytes">{head}</code>
        </p>
      )}
    </>
  );
}
