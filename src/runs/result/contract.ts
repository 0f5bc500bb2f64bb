import type { AttemptResult, SkillManifest } from '../../protocol/index.ts';
import type { SchemaCheck } from '../../skills/index.ts';

/** What the skill of a run says about its result. */
export interface SkillContract {
  skill: AttemptResult['skill'];
  manifest: Pick<SkillManifest, 'entrypoint' | 'artifacts'>;
  /** Of the output; null if the skill has no schema of it. */
  check: SchemaCheck | null;
  /** Where the program leaves its artifacts. */
  artifactsFolder: string;
}
