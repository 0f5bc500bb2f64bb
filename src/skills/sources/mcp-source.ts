import type { Client } from '@modelcontextprotocol/client';
import type { Skill, SkillFile, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { TachoError } from '../../protocol/index.ts';
import { splitFrontmatter } from '../frontmatter.ts';
import { onOneLine, quoted } from '../quoted.ts';
import { MAX_FRONTMATTER_BYTES, MAX_SKILLS_PER_SOURCE, type SkillMetadata } from '../skill.ts';
import { readSkillFields } from '../skill-fields.ts';
import type { SkillFiles, SkillSource, SourceRequest, SourceScan } from '../skill-source.ts';
import { bodyTooLarge, skillGone, sourceUnavailable } from '../source-errors.ts';
import { MAX_BUNDLE_BYTES } from '../stored-skill.ts';
import { tooManySkills } from './too-many-skills.ts';

/** Set for a server that is started here. One of ours then leaves out servers of its own, which could be itself again. */
export const MCP_SOURCE_VARIABLE = 'TACHO_MCP_SOURCE';

/** A server that is started, or one that is reached by its address. */
export interface McpSourceOptions {
  command?: readonly string[] | undefined;
  cwd: string;
  url?: string | undefined;
  /** Read for each connection; its value never enters a message. */
  token: () => string | undefined;
  timeoutMs: number;
}

interface Connected {
  client: Client;
  skills: SkillsClient;
}

const MAX_FILES = 512;
const FENCES_BYTES = 64;
const MAX_URI_LENGTH = 2000;
const DIRECTORY_TYPE = 'inode/directory';

/** Skills that an MCP server offers by the Skills extension. Connects when it is first used, and again after a failure. */
export class McpSkillSource implements SkillSource {
  readonly id: string;
  readonly #options: McpSourceOptions;
  #connected: Promise<Connected> | null = null;
  /** The server's entries of the last scan, by URI. */
  #entries = new Map<string, Skill>();

  constructor(id: string, options: McpSourceOptions) {
    this.id = id;
    this.#options = options;
  }

  scan(namespace: string, { signal }: SourceRequest): Promise<SourceScan> {
    return this.#run(signal, async ({ skills }) => {
      if (!skills.supported) throw sourceUnavailable(this.id, 'its MCP server does not offer skills');
      const listing = await skills.list(undefined, this.#request(signal));
      const scan: SourceScan = { skills: [], problems: [] };
      for (const { uri = '?', reason } of listing.invalid) {
        scan.problems.push(this.#invalid(uri, `the server describes it wrongly: ${onOneLine(reason)}`));
      }
      if (listing.skills.length > MAX_SKILLS_PER_SOURCE) scan.problems.push(tooManySkills(this.id));
      const entries = listing.skills.slice(0, MAX_SKILLS_PER_SOURCE);
      this.#entries = new Map(entries.map((entry) => [entry.uri, entry]));
      for (const { uri, frontmatter } of entries) {
        const { fields, flaws } = readSkillFields(frontmatter);
        scan.problems.push(...flaws.map(({ key: _, ...flaw }) => ({ ...flaw, source: this.id, file: uri })));
        if (fields) scan.skills.push({ namespace, ...fields, source: this.id, location: uri, bundle: null });
      }
      return scan;
    });
  }

  readBody(skill: SkillMetadata, { signal, maxBytes }: SourceRequest & { maxBytes: number }): Promise<string> {
    return this.#run(signal, async ({ skills }) => {
      const entry = this.#entryOf(skill);
      const stated = entry.resources === 'dynamic' ? null : entry.resources.find(({ uri }) => uri === entry.uri);
      const largest = maxBytes + MAX_FRONTMATTER_BYTES + FENCES_BYTES;
      if (stated && stated.size > largest) throw bodyTooLarge(skill, { bytes: stated.size, maxBytes });
      const file = Buffer.from((await this.#readManifest(skills, entry, signal)).bytes);
      // The library's own body has other line ends than the file.
      const body = file.subarray(splitFrontmatter(file, { isWhole: true })!.bodyAt);
      if (body.length > maxBytes) throw bodyTooLarge(skill, { bytes: body.length, maxBytes });
      return body.toString('utf8');
    });
  }

  readFiles(skill: SkillMetadata, { signal }: SourceRequest): Promise<SkillFiles | null> {
    return this.#run(signal, async ({ skills }) => {
      const entry = this.#entryOf(skill);
      const { resources } = entry;
      const listed = resources === 'dynamic' ? await listFiles(skills, entry, this.#request(signal)) : resources;
      const others = listed.filter(({ uri }) => uri !== entry.uri);
      if (others.length === 0) return null;
      const stated = others.reduce((sum, { size = 0 }) => sum + size, 0);
      if (others.length > MAX_FILES || stated > MAX_BUNDLE_BYTES) throw tooLarge(skill, others.length, stated);
      const root = rootOf(entry);
      const files = new Map<string, Uint8Array>();
      let total = 0;
      for (const { uri } of others) {
        const { bytes } = await skills.read(entry, uri, this.#request(signal));
        total += bytes.length;
        if (total > MAX_BUNDLE_BYTES) throw tooLarge(skill, others.length, total);
        files.set(decodeURIComponent(uri.slice(root.length)), bytes);
      }
      return { kind: 'files', files };
    });
  }

  async close(): Promise<void> {
    const connected = await this.#connected?.catch(() => null);
    this.#connected = null;
    await connected?.client.close();
  }

  #connect(): Promise<Connected> {
    const connected = connect(this.#options, () => {
      // Its server may take a while to end, and another one may have been started meanwhile.
      if (this.#connected === connected) this.#connected = null;
    });
    this.#connected = connected;
    return connected;
  }

  /** Its SKILL.md; also if the server changed it after the scan. */
  async #readManifest(skills: SkillsClient, entry: Skill, signal: AbortSignal): Promise<SkillFile> {
    try {
      return await skills.read(entry, undefined, this.#request(signal));
    } catch (error) {
      if ((error as { reason?: unknown }).reason === undefined) throw error;
      const { skill } = await skills.get(entry.uri, this.#request(signal));
      return await skills.read(skill, undefined, this.#request(signal));
    }
  }

  #request(signal: AbortSignal) {
    return { signal, timeout: this.#options.timeoutMs };
  }

  #entryOf(skill: SkillMetadata): Skill {
    const entry = this.#entries.get(skill.location);
    if (!entry) throw skillGone(skill);
    return entry;
  }

  #invalid(uri: string, message: string) {
    const fix = 'Report it to the maintainer of the server.';
    const place = { source: this.id, file: quoted(uri) };
    return { code: 'SKILL_FIELD_INVALID', severity: 'error', message, fix, ...place } as const;
  }

  /** Ends the connection, and the server if it was started here, when anything but a skill is wrong. */
  async #run<T>(signal: AbortSignal, work: (connected: Connected) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const connected = this.#connected ?? this.#connect();
    const drop = () => {
      if (this.#connected === connected) this.#connected = null;
      connected.then(({ client }) => client.close()).catch(() => {});
    };
    signal.addEventListener('abort', drop);
    try {
      return await work(await connected);
    } catch (error) {
      if (error instanceof TachoError && error.code !== 'SKILL_SOURCE_UNAVAILABLE') throw error;
      drop();
      if (error instanceof TachoError) throw error;
      throw sourceUnavailable(this.id, onOneLine((error as Error).message).slice(0, 500));
    } finally {
      signal.removeEventListener('abort', drop);
    }
  }
}

/** The folder of a skill, with a slash at its end. */
function rootOf({ uri }: Skill): string {
  return uri.slice(0, uri.lastIndexOf('/') + 1);
}

/** The files of a skill whose server does not list them in advance, folder by folder. */
async function listFiles(
  skills: SkillsClient,
  entry: Skill,
  request: { signal: AbortSignal; timeout: number },
): Promise<{ uri: string; size?: number | undefined }[]> {
  const root = rootOf(entry);
  const files: { uri: string; size?: number | undefined }[] = [];
  const folders = skills.directoryRead ? [root.slice(0, -1)] : [];
  for (let read = 0; read < folders.length; read++) {
    const { resources } = await skills.readDirectory(folders[read]!, request);
    for (const { uri, mimeType, size } of resources) {
      // Whatever is elsewhere is not part of the skill, and a server could send us in circles.
      if (!uri.startsWith(root) || uri.length > MAX_URI_LENGTH) continue;
      if (mimeType === DIRECTORY_TYPE) folders.push(uri);
      else files.push({ uri, size });
    }
    if (files.length > MAX_FILES || folders.length > MAX_FILES) break;
  }
  return files;
}

async function connect(options: McpSourceOptions, onLost: () => void): Promise<Connected> {
  const { Client } = await import('@modelcontextprotocol/client');
  const { SkillsClient } = await import('@modelcontextprotocol/client/ext/skills');
  const client = new Client({ name: 'tacho', version: '1' });
  const skills = new SkillsClient(client, { skipInvalid: true });
  client.onclose = onLost;
  try {
    await client.connect(await transportOf(options), { timeout: options.timeoutMs });
  } catch (error) {
    await client.close().catch(() => {});
    throw error;
  }
  return { client, skills };
}

async function transportOf({ command, cwd, url, token }: McpSourceOptions) {
  if (command !== undefined) {
    const { getDefaultEnvironment, StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const [program = '', ...args] = command;
    const env = { ...getDefaultEnvironment(), [MCP_SOURCE_VARIABLE]: '1' };
    return new StdioClientTransport({ command: program, args, cwd, env, stderr: 'ignore' });
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const bearer = token();
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  return new StreamableHTTPClientTransport(new URL(url!), { requestInit: { headers } });
}

function tooLarge({ name }: SkillMetadata, files: number, bytes: number): TachoError {
  return new TachoError('SKILL_PACKAGE_TOO_LARGE', `the skill ${name} has ${files} files with ${bytes} bytes`, {
    facts: { files, bytes, max_files: MAX_FILES, max_bytes: MAX_BUNDLE_BYTES },
    fix: `At most ${MAX_FILES} files and ${MAX_BUNDLE_BYTES} bytes are read.`,
  });
}
