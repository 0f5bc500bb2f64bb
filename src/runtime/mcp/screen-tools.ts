import { RUNTIME_METHODS, type RuntimeResult, sessionInfoSchema } from '../../protocol/index.ts';
import { describeSessionEnd } from './session-brief.ts';
import { defineTool, type Tool } from './tool.ts';

const WAIT_MS = 2000;
/** Clients commonly time out after a minute. */
const MAX_WAIT_MS = 50_000;

const asked = RUNTIME_METHODS['session.screen'].params;
const readScreen = defineTool({
  name: 'read_screen',
  title: 'Read a screen',
  description:
    'Shows the screen of a pty session as lines of text, and where the cursor is: for editors, pagers, menus and whatever ' +
    'else draws. Press keys with write_input, then look: it waits until the program has drawn (nothing printed for ' +
    'quiet_ms), or until the screen shows wait_for, wait_ms at most.',
  input: asked.extend({ wait_ms: asked.shape.wait_ms.unwrap().max(MAX_WAIT_MS).default(WAIT_MS) }),
  output: RUNTIME_METHODS['session.screen'].result.extend({
    state: sessionInfoSchema.shape.state,
    end: sessionInfoSchema.shape.end,
  }),
  annotations: { readOnlyHint: true },
  call: async (params, { runtime }) => {
    const screen = await runtime.call('session.screen', params);
    const { state, end } = await runtime.call('session.info', { session_id: params.session_id });
    const shown = screen.lines.join('\n').trimEnd();
    const notes = [
      describeScreen(screen),
      ...(screen.settled ? [] : [describeWait(params.wait_for)]),
      end ? `The session ${describeSessionEnd(end)}.` : `The session is ${state}.`,
      ...(shown === '' ? ['The screen is empty.'] : []),
    ];
    return { structured: { ...screen, state, end }, text: [notes.join(' '), ...(shown === '' ? [] : [shown])] };
  },
});

function describeScreen({ cols, rows, cursor, alternate }: RuntimeResult<'session.screen'>): string {
  const whose = alternate ? ', of a full-screen program' : '';
  return `${cols} columns and ${rows} rows${whose}. The cursor is at row ${cursor.row}, column ${cursor.col}, from 0.`;
}

function describeWait(text: string | undefined): string {
  return text === undefined ? 'It was still changing.' : `It does not show ${JSON.stringify(text)}.`;
}

export const screenTools: readonly Tool[] = [readScreen];
