import { useMemo } from 'react';
import { skillOfRun } from '../../../model/skills/run-skill.ts';
import type { Tab } from '../../../model/view.ts';
import { useStore } from '../../../state/store.ts';
import { useModel, useSession } from '../../../state/use-run.tsx';

/** The tabs of the inspector, in the order of their keys. */
export const INSPECTED: readonly Tab[] = ['event', 'events', 'raw', 'graph', 'files', 'diagnostics'];

/** The same with tabs for the skill and for the agent, if the run has them. */
export function useTabs(tabs: readonly Tab[]): readonly Tab[] {
  const { events } = useModel();
  const { run, source } = useSession();
  const hasSkill = skillOfRun(events) !== null;
  const hasAgent = useStore(run, (known) => known?.engine === 'agent') && source.agent !== null;
  return useMemo(
    () => [...tabs, ...(hasSkill ? (['skill'] as const) : []), ...(hasAgent ? (['agent'] as const) : [])],
    [tabs, hasSkill, hasAgent],
  );
}
