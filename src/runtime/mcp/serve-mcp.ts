import type { Readable, Writable } from 'node:stream';
import { McpServer, type ServerContext, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type * as z from 'zod';
import { TachoError } from '../../protocol/index.ts';
import type { SkillLibrary } from '../../skills/index.ts';
import type { RuntimeClient } from '../client/runtime-client.ts';
import { commandTools } from './command-tools.ts';
import { fileTools } from './file-tools.ts';
import { refuse } from './refuse.ts';
import { screenTools } from './screen-tools.ts';
import { skillsExtension } from './served-skills.ts';
import { sessionTools } from './session-tools.ts';
import { streamTools } from './stream-tools.ts';
import type { Tool } from './tool.ts';

const PROGRESS_INTERVAL_MS = 1000;

export interface McpOptions {
  streams: { input: Readable; output: Writable };
  /** Client of the daemon that holds the sessions, which outlive the MCP connection. */
  client: RuntimeClient;
  version: string;
  /** Opens the skills of the workspace, for the first client that asks for them. */
  openSkills(): Promise<SkillLibrary>;
  /** Called for invalid input and for messages that could not be sent. */
  onError(error: Error): void;
}

const TOOLS: readonly Tool[] = [...sessionTools, ...commandTools, ...streamTools, ...screenTools, ...fileTools];

const INSTRUCTIONS =
  'Terminals and files of one workspace. open_session once, then run_command in it: folder, variables and functions ' +
  'stay. For programs that draw on a screen open a session of kind pty: write_input presses keys, read_screen looks. ' +
  'Sessions persist until close_session, even if you are restarted: list_sessions finds them. Output is cut to fit; ' +
  'whatever was left out is read by its cursor with read_output. target runs it, or reads it, on another machine that ' +
  'the configuration names.';

/** Serves one client over two streams until it disconnects. Its sessions keep running. */
export async function serveMcp({ streams, client, version, openSkills, onError }: McpOptions): Promise<void> {
  const transport = new StdioServerTransport(streams.input, streams.output);
  const skills = skillsExtension(openSkills);
  const create = () => {
    const server = createServer(client, version);
    skills.attach(server);
    return server;
  };
  serveStdio(create, { transport, onerror: onError });
  const { onclose } = transport;
  await new Promise<void>((resolve) => {
    transport.onclose = () => {
      // First, so that pending calls do not count as canceled: their commands keep running in their sessions.
      client.close();
      onclose?.();
      resolve();
    };
  });
  await skills.close();
}

function createServer(client: RuntimeClient, version: string): McpServer {
  const server = new McpServer({ name: 'tacho', title: 'Tachograph', version }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    const { name, title, description, input, output, annotations } = tool;
    server.registerTool(
      name,
      { title, description, inputSchema: uncheckedBySdk(input), outputSchema: output, annotations },
      (params: unknown, context: ServerContext) => callTool(tool, params, { client, context }),
    );
  }
  return server;
}

async function callTool(
  tool: Tool,
  params: unknown,
  { client, context }: { client: RuntimeClient; context: ServerContext },
) {
  const stop = reportProgress(context);
  try {
    const { structured, text } = await tool.call(checkArguments(tool, params), {
      runtime: client,
      signal: context.mcpReq.signal,
    });
    return { structuredContent: structured, content: text.map((block) => ({ type: 'text' as const, text: block })) };
  } catch (error) {
    return refuse(error);
  } finally {
    stop();
  }
}

/** Clients see the schema, but their input is checked by us, so that errors have our codes and form. */
function uncheckedBySdk(schema: z.ZodObject): StandardSchemaWithJSON {
  return { '~standard': { ...schema['~standard'], validate: (value: unknown) => ({ value }) } };
}

function checkArguments(tool: Tool, params: unknown): Record<string, unknown> {
  const checked = tool.input.safeParse(params);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(({ path, message }) => [...path, message].join(': '));
  throw new TachoError('INVALID_PARAMS', `${tool.name}: ${problems.join('; ')}`, { facts: { tool: tool.name } });
}

/** Reports to a client that asked for progress that its call is still running, so that it does not time out. Returns how to stop. */
function reportProgress({ mcpReq }: ServerContext): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const timer = setInterval(() => {
    const message = 'still running';
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress: ++progress, message } })
      .catch(() => {}); // The client has disconnected.
  }, PROGRESS_INTERVAL_MS);
  return () => clearInterval(timer);
}
