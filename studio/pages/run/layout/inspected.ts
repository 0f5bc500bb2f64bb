import { useMemo } from 'react';
import { skillOfRun } from '../../../model/skills/run-skill.ts';
import type { Tab } from '../../../model/view.ts';
import { useModel } from '../../../state/use-run.tsx';

/** The tabs of the inspector, in the order of their keys. */
export const INSPECTED: readonly Tab[] = ['event', 'events', 'raw', 'graph', 'files', 'diagnostics'];

/** The same with a tab for the skill, if the run has one. */
export function useTabs(tabs: readonly Tab[]): readonly Tab[] {
  const { events } = useModel();
  const hasSkill = skillOfRun(events) !== null;
  return useMemo(() => (hasSkill ? [...tabs, 'skill'] : tabs), [tabs, hasSkill]);
}
