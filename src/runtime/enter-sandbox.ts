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
    const entered = await profiles.enter({ ...request, profile }, place);
    return 'why' in entered ? entered : { ...entered, limits };
  };
}
