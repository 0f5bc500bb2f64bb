import { stringify } from 'yaml';
import { type ResolveSettingsOptions, resolveAgentSettings } from '../../../src/agent/from-config/resolve-settings.ts';
import { workspace } from '../../config/workspace.ts';
import { trustFolder } from '../../support/trust.ts';

export type Sections = Record<string, Record<string, unknown>>;

/** A user with a data folder of their own, and a workspace with these files. */
export function userWith(own: Sections, files: Record<string, string>, env: Record<string, string> = {}) {
  const home = workspace({ 'config.yaml': stringify(own) });
  const root = workspace(files);
  return {
    root,
    home,
    env,
    resolve: (options: ResolveSettingsOptions = {}) => resolveAgentSettings(root, { env, home, ...options }),
    trust: () => void trustFolder(root, { env, dataFolder: home }),
  };
}

export const yaml = (sections: Sections) => ({ 'config/tacho.yaml': stringify(sections) });
