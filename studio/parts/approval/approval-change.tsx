import { useMemo } from 'react';
import { diffTexts } from '../../../src/record/changes/text-diff.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { LongText } from '../long-text.tsx';

/** A longer file is shown only in its new state. */
const MAX_COMPARED = 262_144;
const SIGNS = { same: ' ', removed: '−', added: '+' } as const;

/** The change of a file. */
export function ApprovalChange({ before, after }: { before: string; after: string }) {
  const short = before.length + after.length < MAX_COMPARED;
  const diff = useMemo(() => (short ? diffTexts(before, after) : null), [before, after, short]);
  return (
    <div className="approval-code bytes">
      {diff === null ? (
        <LongText text={after} />
      ) : (
        diff.hunks.flatMap(({ lines }) =>
          lines.map(({ kind, text, before, after }) => (
            <div key={`${before}.${after}`} className="approval-line" data-kind={kind}>
              {SIGNS[kind]} {showUnseen(text)}
            </div>
          )),
        )
      )}
    </div>
  );
}
