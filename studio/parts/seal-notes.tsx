import './seal-notes.css';
import * as z from 'zod';
import { useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

/** What newer servers and the page's own check tell besides the verdict. */
const notesSchema = z.looseObject({
  recovered: z.array(z.number()).default([]),
  older_than_ledger: z.array(z.number()).default([]),
  foreign_keys: z.array(z.string()).default([]),
  ledger_head: z.string().nullable().default(null),
});

/** What is worth knowing of the seals of a record, whatever the verdict on it. */
export function SealNotes({ answer }: { answer: unknown }) {
  const text = useText();
  const notes = notesSchema.safeParse(answer).data;
  if (!notes) return null;
  const { recovered, older_than_ledger: older, foreign_keys: foreign, ledger_head: head } = notes;
  return (
    <>
      {recovered.length > 0 && <p>{text(strings.seals.recoveredMeans)(recovered.join(', '))}</p>}
      {older.length > 0 && <p className="quiet">{text(strings.seals.older)(older.join(', '))}</p>}
      {foreign.length > 0 && <p className="quiet">{text(strings.seals.foreign)(foreign.join(', '))}</p>}
      {head !== null && (
        <p className="quiet">
          {text(strings.seals.listed)} <code className="bytes">{head}</code>
        </p>
      )}
    </>
  );
}
