/** A reply that is being written. */
export interface ReplyDraft {
  text: string;
  /** The same reply sent twice counts once; another text is another reply with another key. */
  key: string;
}

export function editedDraft(draft: ReplyDraft, text: string, newKey: () => string): ReplyDraft {
  return text === draft.text ? draft : { text, key: newKey() };
}

/** The stored draft; an empty one if it is unreadable. */
export function parseDraft(kept: string | null, newKey: () => string): ReplyDraft {
  try {
    const { text, key } = JSON.parse(kept ?? '') as Partial<ReplyDraft>;
    if (typeof text === 'string' && typeof key === 'string') return { text, key };
  } catch {
    // Missing, or in another format.
  }
  return { text: '', key: newKey() };
}

/** Suggested answers, in whatever form the engine gave them; for a multiple choice, added to the text. */
export function suggestions(options: readonly unknown[]): string[] {
  return options.flatMap((option) => {
    if (typeof option === 'string' || typeof option === 'number') return [String(option)];
    if (typeof option !== 'object' || option === null) return [];
    const { label, title, text, value } = option as Partial<Record<string, unknown>>;
    const said = [label, title, text, value].find((words) => typeof words === 'string');
    return typeof said === 'string' ? [said] : [];
  });
}
