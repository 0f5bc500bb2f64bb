import { RUNTIME_FOLDER } from '../protocol/index.ts';
import { enterBubblewrap, ProfileSandboxes, sandboxProfile } from '../sandbox/index.ts';
import { availableLimits, type EnterSandbox } from '../terminal/index.ts';

/** Sandboxes for sessions: by paths, or of a profile with the limits of it that this machine can enforce. */
export function createEnterSandbox(guarded?: () => { dataFolder: string; hidden: string[] }): EnterSandbox {
  const profiles = new ProfileSandboxes();
  return async (request, given) => {
    const place = { ...given, ...guarded?.() };
    const { profile, network } = request;
    if (profile === undefined) return await enterBubblewrap(request, place);
    const { limits } = await availableLimits(sandboxProfile(profile, { network }).limits);
    // Folders of other daemons come and go, even while a sandbox is being entered. Commands of agents see them too, and
    // no daemon answers a program in a sandbox.
    const hidden = (place.hidden ?? []).filter((folder) => !folder.endsWith(`/${RUNTIME_FOLDER}`));
    const entered = await profiles.enter({ ...request, profile }, { ...place, hidden });
    return 'why' in entered ? entered : { ...entered, limits };
  };
}
