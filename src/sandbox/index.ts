export { enterBubblewrap } from './enter.ts';
export { ProfileSandboxes } from './enter-profile.ts';
export type { SandboxEntry } from './entry.ts';
export {
  openSandbox,
  type Sandbox,
  type SandboxOptions,
  type SandboxPosture,
} from './open-sandbox.ts';
export { releasePlaces } from './placeholders.ts';
export { probeBubblewrap } from './probe.ts';
export { SANDBOX_PROFILES, type SandboxProfile, sandboxProfile } from './profile.ts';
