import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import { splitFrontmatter } from '../frontmatter.ts';
import type { PackageFiles } from '../package/package-files.ts';
import { SKILL_FILE, type SkillMetadata, type SkillProblem } from '../skill.ts';
import type { SkillFiles, SkillSource, SourceRequest, SourceScan } from '../skill-source.ts';
import { bodyTooLarge } from '../source-errors.ts';
import { FilesystemSkillSource } from '../sources/filesystem-source.ts';
import { readTrusted } from './project-trust.ts';
import type { LocalFolders } from './skill-places.ts';

const MAX_NAMED = 5;

/**
 * A folder of skills in a project. A skill counts only while all of its files are those that were trusted: the author of a
 * project may be hostile, and an agent can change skills for its next run. What is read is what was compared.
 */
export class ProjectSkillSource implements SkillSource {
  readonly id: string;
  readonly #files: FilesystemSkillSource;
  readonly #folders: LocalFolders;

  constructor(id: string, root: string, folders: LocalFolders) {
    this.id = id;
    this.#files = new FilesystemSkillSource(id, root);
    this.#folders = folders;
  }

  async scan(namespace: string, request: SourceRequest): Promise<SourceScan> {
    const { skills, problems } = await this.#files.scan(namespace, request);
    const trusted = skills.filter((skill) => this.#read(skill) !== null);
    const others = skills.filter((skill) => !trusted.includes(skill));
    if (others.length === 0) return { skills: trusted, problems };
    return { skills: trusted, problems: [...problems, this.#notTrusted(others)] };
  }

  async readBody(skill: SkillMetadata, { maxBytes }: SourceRequest & { maxBytes: number }): Promise<string> {
    const { bytes } = this.#require(skill).get(SKILL_FILE)!;
    const body = bytes.subarray(splitFrontmatter(bytes, { isWhole: true })!.bodyAt);
    if (body.length > maxBytes) throw bodyTooLarge(skill, { bytes: body.length, maxBytes });
    return body.toString('utf8');
  }

  async readFiles(skill: SkillMetadata): Promise<SkillFiles> {
    const files = [...this.#require(skill)];
    return {
      kind: 'files',
      files: new Map(files.map(([name, { bytes }]) => [name, bytes])),
      executable: new Set(files.filter(([, { isExecutable }]) => isExecutable).map(([name]) => name)),
    };
  }

  async close(): Promise<void> {}

  #read({ location }: SkillMetadata): PackageFiles | null {
    return readTrusted(path.dirname(location), this.#folders);
  }

  #require(skill: SkillMetadata): PackageFiles {
    const files = this.#read(skill);
    if (files) return files;
    const { code, message, fix } = this.#notTrusted([skill]);
    throw new TachoError(code, message, { facts: { name: skill.name, location: skill.location }, fix });
  }

  #notTrusted(skills: readonly SkillMetadata[]): SkillProblem {
    const named = skills.slice(0, MAX_NAMED).map(({ name }) => name);
    const more = skills.length > MAX_NAMED ? ` and ${skills.length - MAX_NAMED} more` : '';
    return {
      code: 'SKILL_NOT_TRUSTED',
      severity: 'warning',
      message: `ignored until you trust them, or because they changed since: ${named.join(', ')}${more}`,
      fix: 'To look at the files and allow them: tacho trust',
      source: this.id,
      file: this.#files.root,
    };
  }
}
