/** Keys are bytes; terminal input need not be text. */
export function bytesOf(keys: string | Uint8Array): Uint8Array {
  return typeof keys === 'string' ? new TextEncoder().encode(keys) : keys;
}

export function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
