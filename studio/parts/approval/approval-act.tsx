import { useMemo } from 'react';
import { diffTexts } from '../../../src/record/changes/text-diff.ts';
import { readable } from '../../../src/record/readable-value.ts';
import type { ApprovalRequest } from '../../model/conversation/approval-request.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { LongText } from '../long-text.tsx';

/** A file longer than this is shown as it will be. */
const MOST_COMPARED = 262_144;
const SIGNS = { same: ' ', removed: '−', added: '+' } as const;

/** What will happen, drawn by what it is. */
export function ApprovalAct({ act }: { act: ApprovalRequest['act'] }) {
  const text = useText();
  switch (act.kind) {
    case 'command':
      return (
        <>
          <div className="approval-code bytes">
            <LongText text={act.command} />
          </div>
          {act.cwd !== null && (
            <p className="quiet small">
              {text(strings.dock.inFolder)} <bdi className="bytes">{showUnseen(act.cwd)}</bdi>
            </p>
          )}
        </>
      );
    case 'write':
      return (
        <>
          <p>
            {text(strings.dock.writes)} <bdi className="bytes">{showUnseen(act.path)}</bdi>
          </p>
          <Change before={act.before} after={act.after} />
        </>
      );
    case 'other':
      return Object.keys(act.details).length === 0 ? null : (
        <div className="approval-code bytes">
          <LongText text={readable(act.details)} />
        </div>
      );
  }
}

function Change({ before, after }: { before: string; after: string }) {
  const short = before.length + after.length < MOST_COMPARED;
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
