import path from 'node:path';
import { makePrivateFolder } from '../../config/private-folder.ts';
import { errnoOf, pollUntil, readRegularFile, takeFlock, writeWhole } from '../../files/index.ts';
import { TachoError } from '../../protocol/error-code.ts';
import type { SpecDigests } from './known-tools.ts';

const FORMAT = 'tacho-mcp-tools/1';
const LOCK = { everyMs: 10, timeoutMs: 10_000 };
/** The oldest ones are forgotten; a server would have to be accepted this often. */
const MAX_TOOLS = 10_000;
const SHA256 = /^[0-9a-f]{64}$/;

interface Entry extends SpecDigests {
  readonly server: string;
  readonly tool: string;
}

/** The accepted tools of a server, by name. Throws if the file is damaged. */
export function readAccepted(file: string, server: string): ReadonlyMap<string, SpecDigests> {
  const own = read(file).filter((entry) => entry.server === server);
  return new Map(own.map(({ tool, description, parameters }) => [tool, { description, parameters }]));
}

export async function writeAccepted(file: string, entry: Entry): Promise<void> {
  const isSame = (one: Entry) => one.server === entry.server && one.tool === entry.tool;
  if (isKnown(read(file).find(isSame), entry)) return;
  makePrivateFolder(path.dirname(file));
  await locked(`${file}.lock`, () => {
    const others = read(file).filter((one) => !isSame(one));
    writeWhole(file, `${JSON.stringify({ format: FORMAT, tools: [...others, entry].slice(-MAX_TOOLS) })}\n`, {
      durable: true,
    });
  });
}

function isKnown(known: Entry | undefined, { description, parameters }: Entry): boolean {
  return known?.description === description && known.parameters === parameters;
}

async function locked(file: string, work: () => void): Promise<void> {
  const lock = await pollUntil(() => takeFlock(file), LOCK);
  if (!lock) throw new Error(`${file} is locked by another process`);
  try {
    work();
  } finally {
    lock.release();
  }
}

function read(file: string): Entry[] {
  let text: string;
  try {
    text = readRegularFile(file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
  try {
    const { format, tools } = JSON.parse(text) as { format?: unknown; tools?: unknown };
    if (format === FORMAT && Array.isArray(tools) && tools.every(isEntry)) return tools;
  } catch {
    // Reported below.
  }
  throw new TachoError('CONFIG_INVALID', `${file} is damaged: it is unknown which tools of MCP servers were accepted`, {
    facts: { path: file },
    fix: 'Remove it. Rules that allow tools then count for the tools as they are now.',
  });
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { server, tool, description, parameters } = value as Record<string, unknown>;
  const isDigest = (text: unknown) => typeof text === 'string' && SHA256.test(text);
  return typeof tool === 'string' && [server, description, parameters].every(isDigest);
}
