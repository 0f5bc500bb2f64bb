import { TachoError } from '../../protocol/index.ts';

export function parseLine(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw new TachoError('JOURNAL_DAMAGED', 'a line of the record is not JSON', { cause });
  }
}
