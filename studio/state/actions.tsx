import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useRef } from 'react';
import type { Action } from '../keyboard.ts';
import { Actions, type Handler } from './key-actions.ts';

const ActionsContext = createContext<Actions | null>(null);

export function ActionsProvider({ children }: { children: ReactNode }) {
  const actions = useRef(new Actions()).current;
  useEffect(() => {
    addEventListener('keydown', actions.onKey);
    return () => removeEventListener('keydown', actions.onKey);
  }, [actions]);
  return <ActionsContext value={actions}>{children}</ActionsContext>;
}

export function useActions(): Actions {
  return useContext(ActionsContext)!;
}

/** Handles an action while the component is mounted; with `pane`, only while that pane has the focus. */
export function useAction(action: Action, handler: Handler, pane: string | null = null): void {
  const actions = useActions();
  const latest = useRef(handler);
  useLayoutEffect(() => {
    latest.current = handler;
  });
  useEffect(() => actions.register({ action, pane, handler: latest }), [actions, action, pane]);
}
