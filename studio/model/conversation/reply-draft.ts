/** A reply that is being written. */
export interface ReplyDraft {
  text: string;
  /** The same reply sent twice is one reply; another text is another reply, and gets another key. */
  key: string;
}

export function editedDraft(draft: ReplyDraft, text: string, newKey: () => string): ReplyDraft {
  return text === draft.text ? draft : { text, key: newKey() };
}

/** What was kept of a draft; an empty one where that cannot be read. */
export function parseDraft(kept: string | null, newKey: () => string): ReplyDraft {
  try {
    const { text, key } = JSON.parse(kept ?? '') as Partial<ReplyDraft>;
    if (typeof text === 'string' && typeof key === 'string') return { text, key };
  } catch {
    // Nothing was kept, or something else than we do.
  }
  return { text: '', key: newKey() };
}

/** Words to answer with, whatever the shape the engine gave them; for a choice of several, added to what is there. */
export function suggestions(options: readonly unknown[]): string[] {
  return options.flatMap((option) => {
    if (typeof option === 'string' || typeof option === 'number') return [String(option)];
    if (typeof option !== 'object' || option === null) return [];
    const { label, title, text, value } = option as Partial<Record<string, unknown>>;
    const said = [label, title, text, value].find((words) => typeof words === 'string');
    return typeof said === 'string' ? [said] : [];
  });
}
