import { nameMatcher } from '../../config/trust/name-matcher.ts';
import type { JsonSchema } from '../tool.ts';
import type { SpecText } from '../tool-spec.ts';
import { type Connection, invalidAnswer, type RequestOptions } from './connection.ts';
import { visibleLine, visibleText } from './foreign-text.ts';
import { mcpToolName } from './tool-name.ts';

const MAX_TOOLS = 256;
const MAX_PAGES = 64;
const MAX_DESCRIPTION = 4096;
const MAX_SCHEMA_CHARS = 64 * 1024;
const MAX_SCHEMA_DEPTH = 32;
/** Of all tools: they are part of every request to a model, and of one event. */
const MAX_TOTAL_CHARS = 1024 * 1024;
const MAX_TOOL_NAME = 256;
const MAX_SHOWN_NAME = 80;

/** A tool as a server lists it. */
export interface ListedTool extends SpecText {
  /** Its name there. */
  readonly tool: string;
  /** Its name for models and policies. */
  readonly name: string;
}

export interface ToolListing {
  tools: ListedTool[];
  /** Tools that cannot be used, each with the reason. */
  leftOut: string[];
}

/** Asks a server for its tools, page by page. What cannot be given to a model is left out and named. */
export async function listTools(
  connection: Connection,
  { server, wanted, ...request }: RequestOptions & { server: string; wanted: readonly string[] },
): Promise<ToolListing> {
  const listing: ToolListing = { tools: [], leftOut: [] };
  if (!connection.hasTools) return listing;
  const isWanted = nameMatcher(wanted);
  const entries: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES && entries.length <= MAX_TOOLS; page++) {
    const answer = await connection.request('tools/list', typeof cursor === 'string' ? { cursor } : {}, request);
    if (!Array.isArray(answer.tools)) throw invalidAnswer('its list of tools is not a list');
    for (const entry of answer.tools) if (entries.length <= MAX_TOOLS && isListed(entry, isWanted)) entries.push(entry);
    cursor = answer.nextCursor;
    if (typeof cursor !== 'string') break;
  }
  if (entries.length > MAX_TOOLS) listing.leftOut.push(`it has more than ${MAX_TOOLS} tools; the others are left out`);
  const names = new Set<string>();
  let chars = 0;
  for (const entry of entries.slice(0, MAX_TOOLS)) {
    const read = readTool(server, entry);
    const why = typeof read === 'string' ? read : names.has(read.name) ? 'another tool has its name' : null;
    if (why !== null || typeof read === 'string') {
      listing.leftOut.push(`${shownName(entry)}: ${why}`);
      continue;
    }
    chars += read.description.length + JSON.stringify(read.parameters).length;
    if (chars > MAX_TOTAL_CHARS) {
      listing.leftOut.push(
        `its tools have more than ${MAX_TOTAL_CHARS} characters; ${read.name} and others are left out`,
      );
      break;
    }
    names.add(read.name);
    listing.tools.push(read);
  }
  return listing;
}

/** A tool without a usable name is reported, whatever the patterns are. */
function isListed(entry: unknown, isWanted: (name: string) => boolean): boolean {
  const name = (entry as { name?: unknown } | null)?.name;
  return typeof name !== 'string' || name.length > MAX_TOOL_NAME || isWanted(name);
}

function readTool(server: string, entry: unknown): ListedTool | string {
  if (typeof entry !== 'object' || entry === null) return 'it is not an object';
  const { name: tool, title, description, inputSchema } = entry as Record<string, unknown>;
  if (typeof tool !== 'string' || tool === '' || tool.length > MAX_TOOL_NAME) return 'its name cannot be used';
  const wrong = wrongSchema(inputSchema);
  if (wrong !== null) return wrong;
  const texts = [description, title].map((text) =>
    typeof text === 'string' ? visibleText(text, MAX_DESCRIPTION) : '',
  );
  return {
    tool,
    name: mcpToolName(server, tool),
    description: texts.find((text) => text !== '') ?? `A tool of the MCP server ${server}, which does not describe it.`,
    parameters: inputSchema as JsonSchema,
  };
}

/** Why providers would refuse it at first sight; null if they would not. */
function wrongSchema(schema: unknown): string | null {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'its schema is not an object';
  if ((schema as { type?: unknown }).type !== 'object') return 'its schema is not that of an object';
  if (depthOf(schema) > MAX_SCHEMA_DEPTH) return `its schema has more than ${MAX_SCHEMA_DEPTH} levels`;
  const { length } = JSON.stringify(schema);
  return length > MAX_SCHEMA_CHARS ? `its schema has ${length} characters, more than ${MAX_SCHEMA_CHARS}` : null;
}

/** Without recursion: a schema can have more levels than a stack. */
function depthOf(value: object): number {
  let depth = 0;
  let level: object[] = [value];
  for (; level.length > 0 && depth <= MAX_SCHEMA_DEPTH; depth++) {
    level = level.flatMap((one) => Object.values(one).filter((inner) => typeof inner === 'object' && inner !== null));
  }
  return depth;
}

function shownName(entry: unknown): string {
  const name = (entry as { name?: unknown } | null)?.name;
  return JSON.stringify(typeof name === 'string' ? visibleLine(name, MAX_SHOWN_NAME) : '?');
}
