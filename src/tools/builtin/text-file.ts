import { ToolFailure } from '../tool-failure.ts';

/** Decodes the beginning of a file; a character that is cut off at its end is left out. */
export function decodeText(name: string, bytes: Buffer, { isWhole }: { isWhole: boolean }): string {
  const whole = isWhole ? bytes : bytes.subarray(0, wholeCharacters(bytes));
  try {
    if (!whole.includes(0)) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole);
  } catch {
    // Reported below.
  }
  throw new ToolFailure('conflict', `${JSON.stringify(name)} is not a text file in UTF-8`, { data: { path: name } });
}

function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
