const MASK = '[redacted]';
/** Shorter ones would also hide ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** Keys as the large services write them, also half hidden (`sk-abc***xyz`), as some quote them in their answers. */
const KEYS = /\b(?:(?:sk|pk|rk|xai|gsk|nvapi|hf|fw|key)[-_]|AIza)(?=[\w*.-]*[\d*])[\w*.-]{6,}/g;
const AUTHORIZATION = /\b(bearer|basic)\s+[\w.~+/=*-]{6,}/gi;
/** User, password and query of an address may hold a key. */
const ADDRESS = /\b(https?:\/\/)(?:[^\s/@]+@)?([^\s?#"'<>]*)(?:\?[^\s"'<>]*)?/g;

/** Removes the given secrets, and what looks like one, from a text that will be logged. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET_LENGTH) shown = shown.replaceAll(secret, MASK);
  }
  return shown.replace(ADDRESS, '$1$2').replace(AUTHORIZATION, `$1 ${MASK}`).replace(KEYS, MASK);
}
