import pico from 'picocolors';
import type { FcmpMessage, FcmpType, RunQuestion } from '../../protocol/index.ts';
import { count } from '../output/format.ts';
import { activityLine } from './activity.ts';
import { createApprovalLines } from './approval-lines.ts';
import { createAssistantText } from './assistant-text.ts';
import { type ChatSummary, showClosingLine } from './closing-line.ts';
import { createDiagnosticLines } from './diagnostic-lines.ts';
import { createFileLine } from './file-line.ts';
import { wrapText } from './flow.ts';
import { createPage, type Page } from './page.ts';
import { createPlanLines } from './plan-lines.ts';
import { createQuestion } from './question.ts';
import { createRawLines } from './raw-lines.ts';
import { createScreen, type ScreenOptions } from './screen.ts';
import { showThought } from './thought-line.ts';
import { createToolLines, parentOf } from './tool-lines.ts';

export type { ChatSummary } from './closing-line.ts';

const MAX_USER_LINES = 12;

export interface ChatViewOptions extends ScreenOptions {
  colors: boolean;
}

/** A live conversation, shown in a terminal. */
export interface ChatView {
  show(messages: readonly FcmpMessage[]): void;
  /** Updates the live lines of a terminal. Takes the wall clock; called about ten times a second. */
  tick(nowMs: number): void;
  finish(summary: ChatSummary): void;
  /** Leaves the screen as it is while the user types below it. */
  hold(): void;
  release(): void;
  /** The attempt ended with a question that the user is asked here. */
  ask(question: RunQuestion | null): void;
  /** The user typed this message, so it is already on the screen. */
  typed(text: string): void;
}

type Showing = { [T in FcmpType]: (message: FcmpMessage<T>) => void };

export function createChatView(options: ChatViewOptions): ChatView {
  const screen = createScreen(options);
  const page = createPage(screen, pico.createColors(options.colors));
  const tools = createToolLines(page);
  const indentOf = (message: FcmpMessage) => tools.indentUnder(parentOf(message));
  const text = createAssistantText(page, indentOf);
  const raw = createRawLines(page);
  const plan = createPlanLines(page);
  const files = createFileLine(page);
  const diagnostics = createDiagnosticLines(page);
  const approvals = createApprovalLines(page);
  const question = createQuestion(page, text.saidLast);
  const nothing = () => {};
  let attempt = 0;
  let latest: FcmpMessage | null = null;
  let works = false;
  let nowMs: number | null = null;
  let held = false;
  let typed: string | null = null;

  const showing: Showing = {
    'conversation.started': nothing,
    'user.message': ({ data }) => {
      if (data.text !== typed) showUserMessage(page, data.by === 'tacho' ? `tacho: ${data.text}` : data.text);
      typed = null;
    },
    'assistant.message.delta': text.delta,
    'assistant.message.final': text.final,
    'assistant.reasoning': (message) => showThought(page, message.data.text, indentOf(message)),
    'assistant.plan': ({ data }) => plan.show(data.items),
    'assistant.tool_call': tools.show,
    'user.input.required': ({ data }) => {
      files.show();
      question.ask(data);
    },
    'user.input.replied': nothing,
    'approval.required': ({ data }) => approvals.required(data),
    'approval.decided': ({ data }) => approvals.decided(data),
    'artifact.changed': ({ data }) => files.add(data),
    'diagnostic.warning': diagnostics.show,
    'raw.stdout': raw.show,
    'raw.stderr': raw.show,
    'conversation.state.changed': ({ data: { to } }) => {
      works = to === 'running';
      if (to === 'waiting_approval') approvals.waiting();
    },
    'conversation.completed': nothing,
    'conversation.failed': ({ data }) => diagnostics.showFailure(data.error.message),
    'conversation.canceled': nothing,
  };

  function endAttempt(): void {
    page.close();
    tools.endAttempt();
    diagnostics.endAttempt();
    files.show();
  }

  function startAttempt(number: number): void {
    if (attempt > 0) endAttempt();
    attempt = number;
    text.startAttempt();
    question.startAttempt();
  }

  function refresh(): void {
    const lines = held ? [] : [...(page.current?.live?.() ?? []), ...tools.live(nowMs)];
    if (!held && works && latest && nowMs !== null && lines.length === 0) {
      lines.push(activityLine(page, latest.engine, Date.parse(latest.ts), nowMs));
    }
    screen.live(lines.length > 0 && page.isApart('work') ? ['', ...lines] : lines);
    screen.flush();
  }

  return {
    show(messages) {
      for (const message of messages) {
        if (message.meta.attempt > attempt) startAttempt(message.meta.attempt);
        // A conversation on disk may come from a later version, with types unknown here.
        if (Object.hasOwn(showing, message.type)) (showing[message.type] as (message: FcmpMessage) => void)(message);
        latest = message;
      }
      refresh();
    },
    tick(now) {
      nowMs = now;
      refresh();
    },
    finish(summary) {
      works = false;
      endAttempt();
      if (summary.status === 'waiting_user') question.waiting(summary.question);
      showClosingLine(page, summary);
      refresh();
    },
    hold() {
      held = true;
      refresh();
    },
    release() {
      held = false;
      refresh();
    },
    ask(asked) {
      works = false;
      endAttempt();
      question.waiting(asked);
      refresh();
    },
    typed(text) {
      typed = text;
      page.lines('user', []);
    },
  };
}

/** A user message, behind a gutter that only user messages have. */
function showUserMessage(page: Page, text: string): void {
  const { colors, screen } = page;
  const lines = wrapText(text.replaceAll(/^\s*\n|\s+$/g, ''), screen.columns - 2);
  const gutter = colors.bold(colors.cyan('›'));
  const shown = lines.length > MAX_USER_LINES + 1 ? lines.slice(0, MAX_USER_LINES) : lines;
  const rows = shown.map((line) => (line === '' ? gutter : `${gutter} ${colors.bold(line)}`));
  const more = lines.length - shown.length;
  if (more > 0) rows.push(`${gutter} ${colors.dim(`… ${count(more, 'more line')}`)}`);
  page.lines('user', rows);
}
