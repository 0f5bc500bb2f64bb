/** The decision in a reply that begins with yes or no; null if it is something else. */
export function decisionInWords(text: string): 'approved' | 'denied' | null {
  const [word = ''] = /^\s*[a-z]+/i.exec(text) ?? [];
  if (/^\s*(?:y|yes|ok|approved?|allow(?:ed)?)$/i.test(word)) return 'approved';
  if (/^\s*(?:n|no|den(?:y|ied)|refused?)$/i.test(word)) return 'denied';
  return null;
}
