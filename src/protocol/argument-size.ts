/** Linux takes no single argument or variable longer than 32 pages, its terminating NUL included. */
export const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/** Bytes of a text as a program gets it. */
export function byteLength(value: string): number {
  return new TextEncoder().encode(value).length;
}

/** Whether the text can be handed to a program; the kernel counts bytes, not characters. */
export function fits(value: string, maxBytes: number): boolean {
  return value.length * 3 <= maxBytes || byteLength(value) <= maxBytes;
}
