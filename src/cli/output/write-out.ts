/** Writes to one of our streams; resolves when it accepted the bytes, to respect backpressure. */
export function writeOut(to: NodeJS.WriteStream, bytes: Buffer | string): Promise<void> {
  return new Promise((resolve) => to.write(bytes, () => resolve()));
}
