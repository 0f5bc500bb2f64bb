import { lazy, Suspense } from 'react';
import { readable } from '../../../src/record/readable-value.ts';
import type { ApprovalRequest } from '../../model/conversation/approval-request.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useText } from '../../text/language.ts';
import { decide } from '../../text/sections/decide.ts';
import { strings } from '../../text/strings.ts';
import { LongText } from '../long-text.tsx';

/** Few runs ask to change a file, so comparing texts is loaded separately. */
const ApprovalChange = lazy(async () => ({ default: (await import('./approval-change.tsx')).ApprovalChange }));

const ACCESS: Readonly<Record<string, readonly [string, string]>> = {
  read: decide.reads,
  write: strings.dock.writes,
  delete: decide.deletes,
};

/** What will happen, shown by its kind. */
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
          <Suspense fallback={<LongText text={act.after} />}>
            <ApprovalChange before={act.before} after={act.after} />
          </Suspense>
        </>
      );
    case 'files':
      return (
        <ul className="approval-files">
          {act.files.map(({ access, path }) => (
            <li key={`${access} ${path}`}>
              {text(ACCESS[access] ?? decide.touches)} <bdi className="bytes">{showUnseen(path)}</bdi>
            </li>
          ))}
        </ul>
      );
    case 'other':
      return Object.keys(act.details).length === 0 ? null : (
        <div className="approval-code bytes">
          <LongText text={readable(act.details)} />
        </div>
      );
  }
}
