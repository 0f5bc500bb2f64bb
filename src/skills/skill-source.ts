import type { SkillMetadata, SkillProblem } from './skill.ts';

export interface SourceRequest {
  /** Aborts when the caller waits no longer. */
  signal: AbortSignal;
}

export interface SourceScan {
  skills: SkillMetadata[];
  /** Skills that cannot be used, and why. */
  problems: SkillProblem[];
}

/** The files of a skill besides its text. */
export type SkillFiles =
  | { kind: 'folder'; path: string }
  | { kind: 'zip'; bytes: Uint8Array }
  | { kind: 'files'; files: ReadonlyMap<string, Uint8Array>; executable?: ReadonlySet<string> };

/**
 * Where skills are kept. `testSkillSource` is what an implementation has to pass. A method rejects when the source cannot
 * be reached; a single invalid skill is a problem in the answer. No method waits after its signal was aborted.
 */
export interface SkillSource {
  readonly id: string;
  /** All skills of a namespace, without reading their texts. */
  scan(namespace: string, request: SourceRequest): Promise<SourceScan>;
  /**
   * The text of a skill, without its frontmatter. Rejects with SKILL_UNKNOWN if it is gone, and with SKILL_BODY_TOO_LARGE
   * if it is larger than `maxBytes`, without reading all of it.
   */
  readBody(skill: SkillMetadata, request: SourceRequest & { maxBytes: number }): Promise<string>;
  /** Its scripts, references and other files, fetched only now; null if it has none. */
  readFiles(skill: SkillMetadata, request: SourceRequest): Promise<SkillFiles | null>;
  close(): Promise<void>;
}
