import { type Conversation, wantsWholeText } from '../../conversation/index.ts';
import type { FcmpMessage, RaspEvent } from '../../protocol/index.ts';
import type { RecordFiles } from '../record-files.ts';
import { inParts, wholeTexts } from './whole-texts.ts';

/** The messages of a run's next events; the output that they refer to is read from the record. */
export async function foldBatch(
  fold: Conversation,
  events: readonly RaspEvent[],
  files: RecordFiles,
): Promise<FcmpMessage[]> {
  const messages: FcmpMessage[] = [];
  for (const part of inParts(events)) {
    const wholes = await wholeTexts(files, part.filter(wantsWholeText));
    for (const event of part) messages.push(...fold.push(event, wholes.get(event)));
  }
  return messages;
}
