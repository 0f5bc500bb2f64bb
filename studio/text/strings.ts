import { app, status, tabs, token } from './sections/app.ts';
import { conversation } from './sections/conversation.ts';
import { diagnostics } from './sections/diagnostics.ts';
import { approvals, dock } from './sections/dock.ts';
import { events } from './sections/events.ts';
import { files } from './sections/files.ts';
import { graph } from './sections/graph.ts';
import { keyboard } from './sections/keyboard.ts';
import { newRun } from './sections/new-run.ts';
import { open } from './sections/open.ts';
import { raw } from './sections/raw.ts';
import { run } from './sections/run.ts';
import { runs } from './sections/runs.ts';
import { seals } from './sections/seals.ts';
import { terminal } from './sections/terminal.ts';
import { terminals } from './sections/terminals.ts';
import { timeline } from './sections/timeline.ts';

/**
 * All texts of the page, one section for each page and pane, English and Chinese side by side. A text with parameters
 * is a function.
 */
export const strings = {
  app,
  token,
  status,
  runs,
  newRun,
  run,
  tabs,
  conversation,
  terminal,
  terminals,
  timeline,
  events,
  raw,
  graph,
  files,
  diagnostics,
  dock,
  approvals,
  open,
  seals,
  keyboard,
} as const;
