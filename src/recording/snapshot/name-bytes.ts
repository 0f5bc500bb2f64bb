import { isUtf8 } from 'node:buffer';

/**
 * Linux names are bytes. In memory a name is a latin1 string, one character per byte: nothing is lost, and comparing
 * strings compares bytes. In files it is text, with the bytes as base64 only if the text cannot represent them.
 */
export function nameOfText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function nameOfBase64(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}

export function bytesOfName(name: string): Buffer {
  return Buffer.from(name, 'latin1');
}

export interface NameText {
  text: string;
  /** The bytes as base64, if they are not valid UTF-8. */
  bytes?: string;
}

export function textOfName(name: string): NameText {
  if (/^[\0-\x7f]*$/.test(name)) return { text: name };
  const bytes = bytesOfName(name);
  const text = bytes.toString('utf8');
  return isUtf8(bytes) ? { text } : { text, bytes: bytes.toString('base64') };
}
