/** Writes to a stream of ours; resolves when it took the bytes, so that what is slower than we are is not buried. */
export function writeOut(to: NodeJS.WriteStream, bytes: Buffer | string): Promise<void> {
  return new Promise((resolve) => to.write(bytes, () => resolve()));
}
