import type { RunModel } from '../../../src/record/index.ts';
import {
  type ConversationFold,
  emptyConversation,
  growConversation,
} from '../../model/conversation/conversation-rows.ts';
import { useModel } from '../../state/use-run.tsx';

/** Kept with the run, so that a pane that comes back has not to fold everything again. */
const folds = new WeakMap<RunModel, ConversationFold>();

/** The rows of the run as far as it has come. The fold is always the same object; `taken` tells whether it has grown. */
export function useConversation(): ConversationFold {
  const model = useModel();
  const fold = folds.get(model) ?? emptyConversation();
  folds.set(model, fold);
  growConversation(fold, model.messages);
  return fold;
}
