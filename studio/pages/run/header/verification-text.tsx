import * as z from 'zod';
import { grouped } from '../../../model/run-figures.ts';
import { SealNotes } from '../../../parts/seal-notes.tsx';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';
import type { Verification } from './use-verification.ts';

/** How much was checked, as newer servers report it. */
const checkedSchema = z.looseObject({ events: z.number(), files: z.number(), bytes: z.number() });

const MEANING = {
  intact: strings.run.intactMeans,
  changed: strings.run.changedMeans,
  incomplete: strings.run.incompleteMeans,
} as const;

/** What was checked, and each place that differs from the seal. */
export function VerificationText({ verification }: { verification: Verification }) {
  const text = useText();
  const { stage, answer, problem, verify } = verification;
  if (stage === 'checking' || stage === 'unknown') return <p>{text(strings.run.verifying)}</p>;
  const checked = checkedSchema.safeParse(answer?.checked).data;
  return (
    <>
      {problem !== null && <p role="alert">{problem}</p>}
      {answer && <p>{text(MEANING[answer.verdict])}</p>}
      {answer && answer.problems.length > 0 && (
        <ul className="verification-problems">
          {answer.problems.map(({ path, byte, line, message }) => (
            <li key={`${path} ${byte} ${line} ${message}`}>
              <span className="bytes">{[path, line ?? byte].filter((part) => part !== null).join(':')}</span> {message}
            </li>
          ))}
        </ul>
      )}
      {answer && <SealNotes answer={answer} />}
      {checked && (
        <p className="quiet">
          {text(strings.run.checked)(grouped(checked.files), grouped(checked.events), grouped(checked.bytes))}
        </p>
      )}
      <div>
        <button type="button" onClick={verify}>
          {text(strings.run.verifyAgain)}
        </button>
      </div>
    </>
  );
}
