import { isDeepStrictEqual } from 'node:util';
import type { PolicyRule } from '../../protocol/index.ts';
import type { StandardFile } from '../sources/standard-files.ts';
import { changeFile } from './change-file.ts';
import { checkChange } from './check-change.ts';
import { addInYaml, valueInYaml } from './edit-yaml.ts';

const PATH = ['safety', 'rules'];

/**
 * Adds a rule to `safety.rules` of the user's configuration, unless it is there already; checks the file before writing.
 * Returns the file.
 */
export async function addRule(
  request: { workspaceRoot: string; env: Readonly<Record<string, string | undefined>>; dataFolder: string },
  rule: PolicyRule,
): Promise<StandardFile> {
  const edit = { ...request, file: 'user' as const };
  return await changeFile(edit, (file, before) => {
    const rules = valueInYaml(before, PATH);
    if (Array.isArray(rules) && rules.some((one) => isDeepStrictEqual(one, rule))) return before;
    const after = addInYaml(before, PATH, rule);
    checkChange(edit, { path: file.path, after }, PATH.join('.'));
    return after;
  });
}
