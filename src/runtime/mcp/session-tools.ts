import * as z from 'zod';
import { RUNTIME_METHODS } from '../../protocol/index.ts';
import { describeSession, sessionBriefSchema, toBrief } from './session-brief.ts';
import { defineTool, type Tool } from './tool.ts';

const openSession = defineTool({
  name: 'open_session',
  title: 'Open a session',
  description:
    'Opens a terminal session that lives on between calls, and after this client has gone, until close_session. ' +
    'kind shell (the default): a shell for run_command; shell says which, bash, zsh or sh. kind exec: one program (argv) ' +
    'with pipes, for servers, watchers and long builds; follow it with read_output. kind pty: a program, or a shell, on a ' +
    'terminal, for what wants one; ' +
    'press keys with write_input, look with read_screen. With record the session is kept as a run.',
  input: RUNTIME_METHODS['session.create'].params.omit({ kill_grace_ms: true, linger_ms: true }).extend({
    timeout_ms: RUNTIME_METHODS['session.create'].params.shape.timeout_ms.describe(
      'Ends the program of an `exec` session after that long.',
    ),
  }),
  output: sessionBriefSchema,
  annotations: { destructiveHint: false, openWorldHint: true },
  call: async (params, { runtime }) => {
    const structured = toBrief(await runtime.call('session.create', params));
    return { structured, text: [`Opened ${describeSession(structured)}`] };
  },
});

const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List the sessions',
  description:
    'Lists the sessions of the workspace, including those of other clients, with their state and how far their output goes. Some that ' +
    'have ended are kept for a while, so that their output can be read.',
  input: z.strictObject({}),
  output: z.strictObject({ sessions: z.array(sessionBriefSchema) }),
  annotations: { readOnlyHint: true },
  call: async (_params, { runtime }) => {
    const sessions = (await runtime.call('session.list', {})).sessions.map(toBrief);
    const lines = sessions.map(describeSession);
    return { structured: { sessions }, text: [lines.length === 0 ? 'There are no sessions.' : lines.join('\n')] };
  },
});

const sendSignal = defineTool({
  name: 'send_signal',
  title: 'Send a signal',
  description:
    'Sends a signal to what runs in a session: SIGINT to interrupt it as Ctrl-C does, SIGTERM to ask it to end, SIGKILL to ' +
    'end it. The shell of a shell session itself lives on.',
  input: RUNTIME_METHODS['session.signal'].params,
  output: RUNTIME_METHODS['session.signal'].result,
  annotations: { destructiveHint: true },
  call: async (params, { runtime }) => {
    const structured = await runtime.call('session.signal', params);
    const { reached } = structured;
    return { structured, text: [`${params.signal} reached ${reached} ${reached === 1 ? 'process' : 'processes'}.`] };
  },
});

const resizeTerminal = defineTool({
  name: 'resize_terminal',
  title: 'Resize a terminal',
  description: 'Gives the terminal of a pty session another size.',
  input: RUNTIME_METHODS['session.resize'].params,
  output: z.strictObject({ cols: z.int(), rows: z.int() }),
  annotations: { destructiveHint: false, idempotentHint: true },
  call: async ({ session_id, cols, rows }, { runtime }) => {
    await runtime.call('session.resize', { session_id, cols, rows });
    return { structured: { cols, rows }, text: [`The terminal has ${cols} columns and ${rows} rows.`] };
  },
});

const closeSession = defineTool({
  name: 'close_session',
  title: 'Close a session',
  description: 'Ends a session with every process in it, and forgets its output.',
  input: RUNTIME_METHODS['session.destroy'].params,
  output: sessionBriefSchema,
  annotations: { destructiveHint: true },
  call: async (params, { runtime }) => {
    const structured = toBrief(await runtime.call('session.destroy', params));
    return { structured, text: [`Closed ${describeSession(structured)}`] };
  },
});

export const sessionTools: readonly Tool[] = [openSession, listSessions, sendSignal, resizeTerminal, closeSession];
