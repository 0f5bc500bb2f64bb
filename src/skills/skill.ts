import type { ErrorCode } from '../protocol/index.ts';
import type { SkillReference } from './mention.ts';

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';

/** What a scan knows about a skill: everything but its text and files. */
export interface SkillMetadata extends SkillReference {
  description: string;
  /** Environment variables that it needs. */
  required_env_vars: readonly string[];
  /** The map `metadata` of its frontmatter. */
  metadata: Readonly<Record<string, unknown>>;
  /** Id of its source. */
  source: string;
  /** Where people find it: a path, a key or a row. */
  location: string;
  /** Scripts and references that are kept apart from its text, as a zip; null if it has none or they lie beside it. */
  bundle: SkillBundle | null;
}

export interface SkillBundle {
  sha256: string;
  bytes: number;
}

/** Something wrong with a skill or a source. The rest can be used. */
export interface SkillProblem {
  code: ErrorCode;
  severity: 'error' | 'warning';
  /** What is wrong, as a sentence. */
  message: string;
  /** What to do about it. */
  fix: string;
  /** Id of the source, if it is about a source or a skill of one. */
  source?: string;
  /** The file concerned, or where else the skill is kept. */
  file?: string;
  /** From 1, in `file`. */
  line?: number;
}

/** Limits of what a scan keeps in memory. Public skills stay far below. */
export const MAX_DESCRIPTION_CHARS = 1024;
export const MAX_METADATA_CHARS = 8192;
export const MAX_REQUIRED_VARIABLES = 64;
export const MAX_FRONTMATTER_BYTES = 65_536;
export const MAX_SKILLS_PER_SOURCE = 100_000;
