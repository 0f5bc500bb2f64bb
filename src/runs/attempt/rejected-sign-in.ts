import type { RaspData, RaspDraft } from '../../protocol/index.ts';
import { isRetry } from './progress.ts';

/** After the first rejection an engine may renew an expired login. What is rejected again stays rejected. */
const MAX_REJECTIONS = 2;

/**
 * Some engines retry a rejected key for minutes. The returned function gets all events, and returns true once the model
 * service has rejected the sign-in twice in a row.
 */
export function watchSignIn(): (drafts: readonly RaspDraft[]) => boolean {
  let rejections = 0;

  return (drafts) => {
    for (const draft of drafts) {
      if (isRejection(draft)) rejections++;
      else if (isRetry(draft) || isAnswer(draft)) rejections = 0;
      if (rejections === MAX_REJECTIONS) return true;
    }
    return false;
  };
}

function isRejection(draft: RaspDraft): boolean {
  return isRetry(draft) && (draft.data as RaspData<'diagnostic.engine.error'>).error_class === 'auth';
}

/** The service accepted a request. */
function isAnswer({ event: { category } }: RaspDraft): boolean {
  return category === 'agent' || category === 'tool';
}
