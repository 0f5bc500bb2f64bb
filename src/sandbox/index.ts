export { enterBubblewrap, enterNone } from './enter.ts';
export {
  type EnteredSandbox,
  FIRST_READ_DESCRIPTOR,
  openSandbox,
  type Sandbox,
  type SandboxOptions,
  type SandboxPosture,
  STATUS_DESCRIPTOR,
} from './open-sandbox.ts';
export { releasePlaces } from './placeholders.ts';
export { probeBubblewrap } from './probe.ts';
export { SANDBOX_PROFILES, type SandboxProfile, sandboxProfile } from './profile.ts';
