import { LineSplitter, TOO_LONG } from '../../terminal/line-splitter.ts';

/** As much as a message of the daemon may have, in which the task of an agent came. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** Splits what arrives into messages. Calls `onMessage` with each one; throws if one is too long or not JSON. */
export function createMessageReader(onMessage: (message: unknown) => void): (bytes: Buffer) => void {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  return (bytes) => {
    for (const line of splitter.push(bytes)) {
      if (line === TOO_LONG) throw new Error(`a message has more than ${MAX_LINE_BYTES} bytes`);
      if (line.length > 0) onMessage(JSON.parse(line.toString()));
    }
  };
}

export function messageLine(message: object): string {
  return `${JSON.stringify(message)}\n`;
}
