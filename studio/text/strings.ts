import { app, status, tabs, token } from './sections/app.ts';
import { conversation } from './sections/conversation.ts';
import { approvals, dock } from './sections/dock.ts';
import { events } from './sections/events.ts';
import { files } from './sections/files.ts';
import { graph } from './sections/graph.ts';
import { keyboard } from './sections/keyboard.ts';
import { open } from './sections/open.ts';
import { raw } from './sections/raw.ts';
import { run } from './sections/run.ts';
import { runs } from './sections/runs.ts';
import { seals } from './sections/seals.ts';
import { terminal } from './sections/terminal.ts';
import { timeline } from './sections/timeline.ts';

/**
 * The texts that a run opens with, one section for each page and pane, English and Chinese side by side. A text with
 * parameters is a function. Pages and panes that are loaded later import sections of their own.
 */
export const strings = {
  app,
  token,
  status,
  runs,
  run,
  tabs,
  conversation,
  terminal,
  timeline,
  events,
  raw,
  graph,
  files,
  dock,
  approvals,
  open,
  seals,
  keyboard,
} as const;
