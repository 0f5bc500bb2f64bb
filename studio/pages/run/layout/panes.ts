import { type ComponentType, lazy } from 'react';
import type { Tab } from '../../../model/view.ts';
import { ConversationPane } from '../../../panes/conversation/conversation-pane.tsx';
import { EventPane } from '../../../panes/event/event-pane.tsx';
import { TerminalPane } from '../../../panes/terminal/terminal-pane.tsx';

const LATER = {
  events: async () => (await import('../../../panes/events/events-pane.tsx')).EventsPane,
  raw: async () => (await import('../../../panes/raw/raw-pane.tsx')).RawPane,
  graph: async () => (await import('../../../panes/graph/graph-pane.tsx')).GraphPane,
  files: async () => (await import('../../../panes/files/files-pane.tsx')).FilesPane,
  diagnostics: async () => (await import('../../../panes/diagnostics/diagnostics-pane.tsx')).DiagnosticsPane,
  skill: async () => (await import('../../../panes/skill/skill-pane.tsx')).SkillPane,
  agent: async () => (await import('../../../panes/agent/agent-pane.tsx')).AgentPane,
};

/** The initial panes are loaded at once; the others when their tab is chosen. */
export const PANES: Record<Tab, ComponentType> = {
  conversation: ConversationPane,
  terminal: TerminalPane,
  event: EventPane,
  events: later(LATER.events),
  raw: later(LATER.raw),
  graph: later(LATER.graph),
  files: later(LATER.files),
  diagnostics: later(LATER.diagnostics),
  skill: later(LATER.skill),
  agent: later(LATER.agent),
};

/** Loads all panes in advance, for use without a server later. */
export async function loadAllPanes(): Promise<void> {
  await Promise.all([
    ...Object.values(LATER).map((load) => load()),
    import('../../../panes/terminal/terminal-screen.ts'),
    import('../../../parts/approval/approval-change.tsx'),
  ]);
}

function later(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => ({ default: await load() }));
}
