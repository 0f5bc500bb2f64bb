import { type ComponentType, lazy } from 'react';
import type { Tab } from '../../model/view.ts';
import { ConversationPane } from '../../panes/conversation/conversation-pane.tsx';
import { EventPane } from '../../panes/event/event-pane.tsx';
import { TerminalPane } from '../../panes/terminal/terminal-pane.tsx';

/** What a run opens with is there at once; the rest comes when its tab is chosen. */
export const PANES: Record<Tab, ComponentType> = {
  conversation: ConversationPane,
  terminal: TerminalPane,
  event: EventPane,
  events: lazy(async () => ({ default: (await import('../../panes/events/events-pane.tsx')).EventsPane })),
  raw: lazy(async () => ({ default: (await import('../../panes/raw/raw-pane.tsx')).RawPane })),
  graph: lazy(async () => ({ default: (await import('../../panes/graph/graph-pane.tsx')).GraphPane })),
  files: lazy(async () => ({ default: (await import('../../panes/files/files-pane.tsx')).FilesPane })),
  diagnostics: lazy(async () => ({
    default: (await import('../../panes/diagnostics/diagnostics-pane.tsx')).DiagnosticsPane,
  })),
};
