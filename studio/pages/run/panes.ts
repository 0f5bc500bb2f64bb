import type { ComponentType } from 'react';
import type { Tab } from '../../model/view.ts';
import { ConversationPane } from '../../panes/conversation/conversation-pane.tsx';
import { DiagnosticsPane } from '../../panes/diagnostics/diagnostics-pane.tsx';
import { EventPane } from '../../panes/event/event-pane.tsx';
import { EventsPane } from '../../panes/events/events-pane.tsx';
import { FilesPane } from '../../panes/files/files-pane.tsx';
import { GraphPane } from '../../panes/graph/graph-pane.tsx';
import { RawPane } from '../../panes/raw/raw-pane.tsx';
import { TerminalPane } from '../../panes/terminal/terminal-pane.tsx';

export const PANES: Record<Tab, ComponentType> = {
  conversation: ConversationPane,
  terminal: TerminalPane,
  event: EventPane,
  events: EventsPane,
  raw: RawPane,
  graph: GraphPane,
  files: FilesPane,
  diagnostics: DiagnosticsPane,
};
