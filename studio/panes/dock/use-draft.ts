import { useCallback, useState } from 'react';
import { editedDraft, parseDraft, type ReplyDraft } from '../../model/conversation/reply-draft.ts';

/** The reply to a run that somebody is writing; it outlives the page. */
export function useDraft(runId: string): { draft: ReplyDraft; edit(text: string): void } {
  const key = `tacho.draft.${runId}`;
  const [draft, setDraft] = useState(() => parseDraft(localStorage.getItem(key), newKey));
  const edit = useCallback(
    (text: string) =>
      setDraft((before) => {
        const after = editedDraft(before, text, newKey);
        if (text === '') localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(after));
        return after;
      }),
    [key],
  );
  return { draft, edit };
}

/** `randomUUID` is only there where the page came over a secure connection, or from this machine. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
