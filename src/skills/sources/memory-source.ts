import { TachoError } from '../../protocol/index.ts';
import type { SkillMetadata, SkillProblem } from '../skill.ts';
import { readSkillFields } from '../skill-fields.ts';
import type { SkillFiles, SkillSource, SourceRequest, SourceScan } from '../skill-source.ts';
import { bodyTooLarge, skillGone } from '../source-errors.ts';

/** A skill that a program defines. */
export interface MemorySkill {
  namespace: string;
  name: string;
  description: string;
  body: string;
  required_env_vars?: readonly string[];
  metadata?: Readonly<Record<string, unknown>>;
  /** By path below the folder of the skill. */
  files?: Readonly<Record<string, string | Uint8Array>>;
}

/** Skills of the program itself. They can be changed at any time; a scan sees the present ones. */
export class MemorySkillSource implements SkillSource {
  readonly id: string;
  readonly #skills = new Map<string, MemorySkill>();

  constructor(id: string, skills: readonly MemorySkill[] = []) {
    this.id = id;
    for (const skill of skills) this.add(skill);
  }

  /** Throws SKILL_DUPLICATE_NAME for one that is there already: remove that first. */
  add(skill: MemorySkill): void {
    const key = keyOf(skill);
    if (this.#skills.has(key)) {
      throw new TachoError(
        'SKILL_DUPLICATE_NAME',
        `source ${this.id} already has a skill ${skill.name} in ${skill.namespace}`,
        {
          fix: 'Remove it first.',
        },
      );
    }
    this.#skills.set(key, skill);
  }

  remove(skill: Pick<MemorySkill, 'namespace' | 'name'>): void {
    this.#skills.delete(keyOf(skill));
  }

  async scan(namespace: string, { signal }: SourceRequest): Promise<SourceScan> {
    signal.throwIfAborted();
    const skills: SkillMetadata[] = [];
    const problems: SkillProblem[] = [];
    for (const skill of this.#skills.values()) {
      if (skill.namespace !== namespace) continue;
      const { fields, flaws } = readSkillFields({ ...skill });
      const location = `memory: ${skill.name}`;
      problems.push(...flaws.map(({ key: _, ...flaw }) => ({ ...flaw, source: this.id, file: location })));
      if (fields) skills.push({ namespace, ...fields, source: this.id, location, bundle: null });
    }
    return { skills, problems };
  }

  async readBody(skill: SkillMetadata, { signal, maxBytes }: SourceRequest & { maxBytes: number }): Promise<string> {
    signal.throwIfAborted();
    const { body } = this.#find(skill);
    const bytes = Buffer.byteLength(body);
    if (bytes > maxBytes) throw bodyTooLarge(skill, { bytes, maxBytes });
    return body;
  }

  async readFiles(skill: SkillMetadata, { signal }: SourceRequest): Promise<SkillFiles | null> {
    signal.throwIfAborted();
    const { files = {} } = this.#find(skill);
    const entries = Object.entries(files).map(([file, content]) => [file, bytesOf(content)] as const);
    return entries.length === 0 ? null : { kind: 'files', files: new Map(entries) };
  }

  async close(): Promise<void> {}

  #find(skill: SkillMetadata): MemorySkill {
    const found = this.#skills.get(keyOf(skill));
    if (!found) throw skillGone(skill);
    return found;
  }
}

function keyOf({ namespace, name }: Pick<MemorySkill, 'namespace' | 'name'>): string {
  return `${namespace} ${name}`;
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : content;
}
