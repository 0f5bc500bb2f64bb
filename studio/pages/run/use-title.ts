import { firstRequest, titleOf } from '../../model/run-title.ts';
import type { RunSession } from '../../state/run-session.ts';
import { useStore } from '../../state/store.ts';

/** What the run is called; draws again only when that changes. */
export function useTitle(session: RunSession): string {
  const run = useStore(session.run);
  // Where nobody asked for anything there is no use in looking for it in every message.
  const isAsked = run !== null && run.prompt !== null;
  return useStore(session.version, () => titleOf(run, isAsked ? firstRequest(session.model.messages) : null));
}
