/** What an event shows of bytes that are no text; the bytes themselves stay in the raw file. */
const SHOWN_BYTES = 1024;
/** Odd characters in a sample of this share make it something else than text with a few bad bytes. */
const ODD_SHARE = 0.1;
const ODD_CHARACTERS = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f\u007f\ufffd]/g;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Bytes as an event carries them: text, with U+FFFD for bytes that are not UTF-8. Of a picture or an archive, which would
 * more than double in size and say nothing, only the beginning.
 */
export function showBytes(bytes: Buffer): { text: string; truncated?: true } {
  try {
    return { text: strict.decode(bytes) };
  } catch {
    const beginning = bytes.toString('utf8', 0, SHOWN_BYTES);
    const odd = beginning.match(ODD_CHARACTERS)?.length ?? 0;
    if (bytes.length > SHOWN_BYTES && odd > beginning.length * ODD_SHARE) return { text: beginning, truncated: true };
    return { text: bytes.toString('utf8') };
  }
}
