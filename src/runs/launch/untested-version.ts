import path from 'node:path';
import { readRegularFile } from '../../files/index.ts';
import { attemptFileNames, metaSchema } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import { isTested } from './engine-program.ts';
import type { LaunchPlan } from './plan-launch.ts';

/** The version to warn about; null if it was tested, or if the attempt before has warned about it. */
export function untestedVersion(
  { folder, attempt }: { folder: RunFolder; attempt: number },
  { profile, program }: LaunchPlan,
): { version: string | null; tested: readonly string[] } | null {
  const version = program?.version ?? null;
  if (isTested(profile, version) || version === versionOf(folder, attempt - 1)) return null;
  return { version, tested: profile.testedVersions };
}

function versionOf({ audit }: RunFolder, attempt: number): string | null {
  try {
    const meta = readRegularFile(path.join(audit, attemptFileNames(attempt).meta));
    return metaSchema.parse(JSON.parse(meta)).versions.engine;
  } catch {
    return null; // There is none before the first attempt, or after a crash.
  }
}
