const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** For a terminal that does not start a line at a line feed: programs on two terminals print bare ones. */
export function withCarriageReturns(bytes: Buffer): Buffer {
  const shown = Buffer.allocUnsafe(bytes.length * 2);
  let length = 0;
  for (const byte of bytes) {
    if (byte === LINE_FEED) shown[length++] = CARRIAGE_RETURN;
    shown[length++] = byte;
  }
  return shown.subarray(0, length);
}
