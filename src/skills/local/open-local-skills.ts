import path from 'node:path';
import { type OpenSkillsRequest, openSkills } from '../open-skills.ts';
import type { SkillSpace } from '../scan-spaces.ts';
import type { SkillLibrary } from '../skill-library.ts';
import { FilesystemSkillSource } from '../sources/filesystem-source.ts';
import { ProjectSkillSource } from './project-source.ts';
import { type LocalFolders, PROJECT_NAMESPACE, RUN_NAMESPACE, skillPlaces, USER_NAMESPACE } from './skill-places.ts';

/**
 * The skills of the configuration, of the user's own folder as `$[user].name`, of the project as `$[project].name`, and
 * those of `runSkills`, the folder of a recorded run, as `$[run].name`. A space of the configuration with one of these namespaces takes its place.
 */
export function openLocalSkills(
  request: Omit<OpenSkillsRequest, 'spaces'> & LocalFolders & { runSkills?: string | undefined },
): SkillLibrary {
  const { workspaceRoot, runSkills } = request;
  const places = skillPlaces(request);
  const spaces = [USER_NAMESPACE, PROJECT_NAMESPACE].map((namespace): SkillSpace => {
    const roots = places.filter((place) => place.namespace === namespace).map(({ root }) => root);
    // Ids of configured sources cannot have a colon.
    const sources = roots.map((root) =>
      namespace === USER_NAMESPACE
        ? new FilesystemSkillSource('user:skills', root)
        : new ProjectSkillSource(`project:${path.relative(path.resolve(workspaceRoot), root)}`, root, request),
    );
    return { namespace, enabled: true, sources };
  });
  if (runSkills !== undefined) {
    const sources = [new FilesystemSkillSource('run:skills', runSkills)];
    spaces.push({ namespace: RUN_NAMESPACE, enabled: true, sources });
  }
  return openSkills({ ...request, spaces });
}
