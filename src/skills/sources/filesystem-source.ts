import fs from 'node:fs';
import path from 'node:path';
import { createYielder, errnoOf } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { parseFrontmatter } from '../frontmatter.ts';
import { onOneLine } from '../quoted.ts';
import { MAX_SKILLS_PER_SOURCE, SKILL_FILE, type SkillMetadata, type SkillProblem } from '../skill.ts';
import { readSkillFields, type SkillFields } from '../skill-fields.ts';
import type { SkillFiles, SkillSource, SourceRequest, SourceScan } from '../skill-source.ts';
import { bodyTooLarge, skillGone, sourceUnavailable } from '../source-errors.ts';
import { isUnchanged, type Stamp, stampOf } from './file-stamp.ts';
import { openSkillFile, readBelowHead, readHead } from './skill-file.ts';
import { type FolderMemory, findSkillFolders } from './skill-folders.ts';
import { tooManySkills } from './too-many-skills.ts';

/** What was read of one SKILL.md, as long as the file stays the same. */
interface KnownFile {
  stamp: Stamp | null;
  fields: SkillFields | null;
  problems: SkillProblem[];
}

/**
 * Folders with a SKILL.md, at most three levels below a root. A later scan looks at every file again, but reads only those
 * whose size, times or inode changed. A missing root has no skills.
 */
export class FilesystemSkillSource implements SkillSource {
  readonly id: string;
  readonly root: string;
  #folders: FolderMemory = new Map();
  #known = new Map<string, KnownFile>();

  constructor(id: string, root: string) {
    this.id = id;
    this.root = path.resolve(root);
  }

  async scan(namespace: string, { signal }: SourceRequest): Promise<SourceScan> {
    signal.throwIfAborted();
    const root = openRoot(this.id, this.root);
    if (root === null) return { skills: [], problems: [] };
    try {
      return await this.#scan(root, namespace, signal);
    } finally {
      fs.closeSync(root);
    }
  }

  async #scan(root: number, namespace: string, signal: AbortSignal): Promise<SourceScan> {
    const yieldToEventLoop = createYielder(signal);
    const scan: SourceScan = { skills: [], problems: [] };
    const folders: FolderMemory = new Map();
    const known = new Map<string, KnownFile>();
    for (const { folder, stats } of findSkillFolders(this.root, { before: this.#folders, now: folders })) {
      const pause = yieldToEventLoop();
      if (pause) await pause;
      if (known.size === MAX_SKILLS_PER_SOURCE) {
        scan.problems.push(tooManySkills(this.id));
        break;
      }
      const before = this.#known.get(folder);
      const file = before?.stamp && isUnchanged(before.stamp, stats) ? before : this.#read(root, folder);
      known.set(folder, file);
      scan.problems.push(...file.problems);
      if (file.fields) scan.skills.push(this.#metadata(namespace, folder, file.fields));
    }
    this.#folders = folders;
    this.#known = known;
    return scan;
  }

  async readBody(skill: SkillMetadata, { signal, maxBytes }: SourceRequest & { maxBytes: number }): Promise<string> {
    signal.throwIfAborted();
    const root = openRoot(this.id, this.root);
    if (root === null) throw skillGone(skill);
    try {
      const opened = openSkillFile(root, path.relative(this.root, skill.location));
      if (opened === null) throw skillGone(skill);
      const { fd } = opened;
      try {
        const body = readBelowHead(fd, maxBytes);
        if ('bytes' in body) throw bodyTooLarge(skill, { bytes: body.bytes, maxBytes });
        return body.text;
      } finally {
        fs.closeSync(fd);
      }
    } finally {
      fs.closeSync(root);
    }
  }

  async readFiles(skill: SkillMetadata, { signal }: SourceRequest): Promise<SkillFiles | null> {
    signal.throwIfAborted();
    return { kind: 'folder', path: path.dirname(skill.location) };
  }

  async close(): Promise<void> {}

  #metadata(namespace: string, folder: string, fields: SkillFields): SkillMetadata {
    return { namespace, ...fields, source: this.id, location: path.join(this.root, folder, SKILL_FILE), bundle: null };
  }

  /** A file that changes while it is read, or was changed just before, is read again by the next scan. */
  #read(root: number, folder: string): KnownFile {
    const at = path.join(this.root, folder, SKILL_FILE);
    const problems: SkillProblem[] = [];
    const startedAt = Date.now();
    let stamp: Stamp | null = null;
    try {
      const opened = openSkillFile(root, path.join(folder, SKILL_FILE));
      if (opened === null) return { stamp, fields: null, problems };
      const { fd, stats } = opened;
      try {
        stamp = stampOf(stats, startedAt);
        const { fields, flaws } = readSkillFields(parseFrontmatter(readHead(fd)).fields);
        problems.push(...flaws.map(({ key: _, ...flaw }) => ({ ...flaw, source: this.id, file: at })));
        const expected = path.basename(path.join(this.root, folder));
        if (fields === null || fields.name === expected) return { stamp, fields, problems };
        problems.push({
          code: 'SKILL_NAME_MISMATCH',
          severity: 'error',
          message: `its name is ${fields.name}, but its folder is called ${onOneLine(expected)}`,
          fix: 'Rename the folder, or change the name to that of the folder.',
          source: this.id,
          file: at,
        });
      } finally {
        fs.closeSync(fd);
      }
    } catch (error) {
      problems.push(problemOf(error, { source: this.id, file: at }));
    }
    return { stamp, fields: null, problems };
  }
}

/** Null if it does not exist. */
function openRoot(id: string, root: string): number | null {
  try {
    return fs.openSync(root, fs.constants.O_DIRECTORY);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw sourceUnavailable(id, `${root} cannot be opened (${errnoOf(error)})`, error);
  }
}

/** An error about one skill; anything but a known error or one of the system is a bug. */
function problemOf(error: unknown, at: { source: string; file: string }): SkillProblem {
  if (error instanceof TachoError) {
    const { code, message, fix = '', facts } = error;
    const line = typeof facts.line === 'number' ? { line: facts.line } : {};
    return { code, severity: 'error', message, fix, ...at, ...line };
  }
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  return {
    code: 'SKILL_PACKAGE_INVALID',
    severity: 'error',
    message: `it cannot be read (${errno})`,
    fix: 'Check the permissions of the file and its folders.',
    ...at,
  };
}
