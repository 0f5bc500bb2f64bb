import { createHash } from 'node:crypto';
import { loadConfig, trustedSkills, type WorkspaceTrust } from '../../config/index.ts';
import { hashOfAll, hashProjectSkills, type SkillHashes } from '../../skills/index.ts';

/** Everything in a folder that needs trust: what its settings files would set, and its skills. */
export interface TrustContent extends Pick<WorkspaceTrust, 'folder' | 'asksFor'> {
  /** Of the settings files alone. */
  settingsSha256: string | null;
  skills: SkillHashes;
  /** Of all of it; null if there is nothing. */
  sha256: string | null;
  trusted: boolean;
}

export function readTrustContent(folder: string, dataFolder: string): TrustContent {
  const { workspace } = loadConfig({ workspaceRoot: folder, env: process.env, dataFolder, asIfTrusted: true });
  const skills = hashProjectSkills({ workspaceRoot: folder, dataFolder });
  const known = trustedSkills(dataFolder, workspace.folder);
  const settingsSha256 = workspace.sha256;
  const ofSkills = hashOfAll(skills);
  const hasSettings = workspace.asksFor.length > 0;
  return {
    folder: workspace.folder,
    asksFor: workspace.asksFor,
    settingsSha256,
    skills,
    sha256: ofSkills === null ? settingsSha256 : combined(settingsSha256, ofSkills),
    trusted:
      (workspace.trusted || (!hasSettings && skills.size > 0)) &&
      [...skills].every(([place, sha256]) => known[place] === sha256),
  };
}

function combined(settings: string | null, skills: string): string {
  return createHash('sha256')
    .update(`tacho-trust/2\n${settings ?? 'none'}\n${skills}\n`)
    .digest('hex');
}
