import { createContext, type ReactNode, useContext } from 'react';
import type { RunModel } from '../../src/record/index.ts';
import type { View } from '../model/view.ts';
import type { RunSession } from './run-session.ts';
import { useStore } from './store.ts';

const SessionContext = createContext<RunSession | null>(null);

export function SessionProvider({ session, children }: { session: RunSession; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): RunSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('a pane needs a run');
  return session;
}

/** The model of the run; rerenders whenever it has grown. */
export function useModel(): RunModel {
  const session = useSession();
  useStore(session.version);
  return session.model;
}

/** With `pick`, rerenders only when that part of the view changes. */
export function useView<P = View>(pick?: (view: View) => P): P {
  return useStore(useSession().view, pick);
}
