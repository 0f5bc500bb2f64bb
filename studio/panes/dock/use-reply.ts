import { useCallback, useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import { isEvent, type ReplyAnswer, TachoError } from '../../../src/protocol/index.ts';
import { eventAt, openQuestion, type Question, type RunModel } from '../../../src/record/index.ts';
import { editedDraft, parseDraft, type ReplyDraft } from '../../model/conversation/reply-draft.ts';
import { useModel } from '../../state/use-run.tsx';

export type ReplyState =
  | { kind: 'none' }
  | { kind: 'open'; question: Question; error: Error | null; sending: boolean }
  /** Accepted: its attempt has not started yet. */
  | { kind: 'starting'; attempt: number }
  /** Another client answered first; the draft is kept. */
  | { kind: 'answered'; other: string | null };

/** The answer to the question of a waiting run. */
export function useReply(client: Client | null, runId: string) {
  const model = useModel();
  const { draft, edit } = useDraft(runId);
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [answer, setAnswer] = useState<ReplyAnswer | null>(null);
  /** The last question that was open here. */
  const [asked, setAsked] = useState<string | null>(null);
  const question = model.status === 'waiting_user' ? openQuestion(model) : null;
  if (question && question.interaction_id !== asked) {
    setAsked(question.interaction_id);
    setError(null);
  }

  /** With answers to single questions, or with the text of the draft. */
  async function send(answers?: Record<string, string>): Promise<void> {
    if (!client || !question || sending || draft.text.trim() === '') return;
    setSending(true);
    setError(null);
    const { interaction_id } = question;
    const said = answers ? { answers } : { text: draft.text };
    try {
      setAnswer(await client.reply(runId, { interaction_id, ...said, idempotency_key: draft.key }));
      edit('');
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setSending(false);
    }
  }

  return { state: stateOf(), draft, edit, send, dismiss: () => edit('') };

  function stateOf(): ReplyState {
    const mine = answer !== null && answer.interaction_id === asked;
    if (mine && (question || model.status === 'queued')) return { kind: 'starting', attempt: answer.attempt };
    const stale = error instanceof TachoError && error.code === 'REPLY_STALE';
    if (question && !stale) return { kind: 'open', question, error, sending };
    if (!mine && asked !== null && draft.text.trim() !== '' && (stale || !question)) {
      return { kind: 'answered', other: replyTo(model, asked) };
    }
    return { kind: 'none' };
  }
}

function replyTo(model: RunModel, interactionId: string): string | null {
  const seq = model.questions.findLast((question) => question.interaction_id === interactionId)?.repliedSeq;
  const event = seq ? eventAt(model, seq) : undefined;
  if (!event || !isEvent(event, 'interaction.reply.accepted')) return null;
  return event.data.text;
}

/** The draft of a reply to a run; it survives a reload of the page. */
function useDraft(runId: string): { draft: ReplyDraft; edit(text: string): void } {
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

/** `randomUUID` exists only on secure connections and on localhost. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
