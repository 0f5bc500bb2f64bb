import {
  DIRECTORY_MIME_TYPE,
  type Skill,
  type SkillReadResult,
  type SkillSource,
  SkillsExtension,
} from '@modelcontextprotocol/server/ext/skills';
import { mentionOf } from '../../protocol/index.ts';
import type { PackageFiles, SkillLibrary, SkillMetadata } from '../../skills/index.ts';

const BASE = 'skill://';
const SKILL_FILE = 'SKILL.md';
const PAGE = 100;
/** More would make the list of resources, which has no pages, too long. */
const MAX_RESOURCES = 500;
/** The extension allows fewer names than we do. */
const SERVED_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Serves the skills of a library by the Skills extension of MCP. The library is opened for the first request. */
export function skillsExtension(open: () => Promise<SkillLibrary>): SkillsExtension & { close(): Promise<void> } {
  const source = new ServedSkills(open);
  const extension = new SkillsExtension({ source, baseUri: BASE });
  return Object.assign(extension, { close: () => source.close() });
}

/**
 * Lists metadata only, as scans do: the files of a skill are `dynamic` and read when they are asked for. Its SKILL.md has
 * the fields that tacho knows, whatever the source is.
 */
class ServedSkills implements SkillSource {
  readonly #open: () => Promise<SkillLibrary>;
  #library: Promise<SkillLibrary> | null = null;
  /** The files of one skill, as they were when its folder was listed. */
  #read: { mention: string; files: PackageFiles } | null = null;

  constructor(open: () => Promise<SkillLibrary>) {
    this.#open = open;
  }

  async list({ cursor = '' }: { cursor?: string }) {
    const rest = (await this.#served()).filter((skill) => uriOf(skill) > cursor);
    const page = rest.slice(0, PAGE);
    const last = rest.length > PAGE ? { nextCursor: uriOf(page.at(-1)!) } : {};
    return { skills: page.map(entryOf), ...last };
  }

  async get(uri: string): Promise<Skill | undefined> {
    const found = await this.#find(uri);
    return found?.path === SKILL_FILE ? entryOf(found.skill) : undefined;
  }

  async read(uri: string): Promise<SkillReadResult | undefined> {
    const found = await this.#find(uri);
    if (!found) return undefined;
    const { skill, path } = found;
    if (path === SKILL_FILE) {
      const body = await (await this.#opened()).readBody(skill);
      return { text: `---\n${headOf(skill)}---\n${body}`, mimeType: 'text/markdown' };
    }
    const isKept = this.#read?.mention === mentionOf(skill);
    const files = isKept ? this.#read!.files : await this.#filesOf(skill);
    const bytes = files.get(path)?.bytes;
    return bytes && { bytes };
  }

  async readDirectory(uri: string) {
    const found = await this.#find(uri);
    if (!found) return undefined;
    const { skill, path } = found;
    const folder = path === '' ? '' : `${path}/`;
    const children = new Map<string, { uri: string; name: string; mimeType?: string; size?: number }>();
    for (const [file, { bytes }] of await this.#filesOf(skill)) {
      if (!file.startsWith(folder)) continue;
      const [name = '', ...below] = file.slice(folder.length).split('/');
      const child = { uri: uriOf(skill, `${folder}${name}`), name };
      if (below.length > 0) children.set(name, { ...child, mimeType: DIRECTORY_MIME_TYPE });
      else children.set(name, file === SKILL_FILE ? child : { ...child, size: bytes.length });
    }
    return children.size === 0 ? undefined : { resources: [...children.values()] };
  }

  /** For clients that know resources and not the extension. */
  async listResources() {
    return (await this.#served()).slice(0, MAX_RESOURCES).map((skill) => ({
      uri: uriOf(skill),
      name: skill.name,
      description: skill.description,
      mimeType: 'text/markdown',
    }));
  }

  async close(): Promise<void> {
    // Whatever kept it from being opened was the answer to a request.
    await this.#library?.then(
      (library) => library.close(),
      () => {},
    );
  }

  #opened(): Promise<SkillLibrary> {
    this.#library ??= this.#open();
    return this.#library;
  }

  async #served(): Promise<SkillMetadata[]> {
    const { skills } = await (await this.#opened()).current();
    return [...skills.values()]
      .filter(({ name }) => SERVED_NAME.test(name))
      .sort((one, other) => (uriOf(one) < uriOf(other) ? -1 : 1));
  }

  async #find(uri: string): Promise<{ skill: SkillMetadata; path: string } | undefined> {
    const [authority = '', name = '', ...path] = partsOf(uri);
    if (!uri.startsWith(BASE) || !SERVED_NAME.test(name)) return undefined;
    const { skills } = await (await this.#opened()).current();
    const skill = skills.get(mentionOf({ namespace: authority.replaceAll('.', ':'), name }));
    return skill && { skill, path: path.join('/') };
  }

  async #filesOf(skill: SkillMetadata): Promise<PackageFiles> {
    const { files } = await (await this.#opened()).readPackage(skill);
    this.#read = { mention: mentionOf(skill), files };
    return files;
  }
}

/** `skill://team.product/review/SKILL.md`: no namespace has a dot, so none can look like the folder of a skill. */
function uriOf({ namespace, name }: Pick<SkillMetadata, 'namespace' | 'name'>, path = SKILL_FILE): string {
  const parts = [namespace.replaceAll(':', '.'), name, ...path.split('/')];
  return `${BASE}${parts.map(encodeURIComponent).join('/')}`;
}

function partsOf(uri: string): string[] {
  try {
    return uri.slice(BASE.length).split('/').map(decodeURIComponent);
  } catch {
    return []; // Half of an escape.
  }
}

function entryOf(skill: SkillMetadata): Skill {
  return { uri: uriOf(skill), frontmatter: fieldsOf(skill), resources: 'dynamic' };
}

function fieldsOf({ name, description, required_env_vars, metadata }: SkillMetadata) {
  // The extension allows only text as values, and the key __proto__ nowhere.
  const entries = Object.entries(metadata)
    .filter(([key]) => key !== '__proto__')
    .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]);
  return {
    name,
    description,
    ...(required_env_vars.length === 0 ? {} : { required_env_vars: [...required_env_vars] }),
    ...(entries.length === 0 ? {} : { metadata: Object.fromEntries(entries) as Record<string, string> }),
  };
}

/** JSON on one line is also YAML. */
function headOf(skill: SkillMetadata): string {
  return Object.entries(fieldsOf(skill))
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
}
