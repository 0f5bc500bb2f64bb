import { TachoError } from '../protocol/error-code.ts';
import type { SessionLimits } from '../protocol/terminal/index.ts';

export const SANDBOX_PROFILES = ['none', 'dev', 'balanced', 'prod'] as const;
export type SandboxProfile = (typeof SANDBOX_PROFILES)[number];

/** What a profile shows to programs, and what it lets them change. */
export interface ProfileView {
  profile: SandboxProfile;
  network: 'on' | 'off';
  /** The whole machine without secrets, or programs, their libraries and the workspace only. */
  view: 'everything' | 'machine' | 'restricted';
  /** Whether the home of the user is its own, or empty and gone with the program. */
  home: 'own' | 'empty';
  /** Files of a repository that run programs are read-only; or all of it. */
  repository: 'writable' | 'guarded' | 'read-only';
  /** Whether files that package managers obey may be created where there are none. */
  createsSettings: boolean;
  /** Applied as far as the machine can. */
  limits: SessionLimits;
}

const GIBIBYTE = 1024 ** 3;
type Fixed = Omit<ProfileView, 'profile' | 'network'> & { network: 'on' | 'off' | 'always off' };

const PROFILES: Record<SandboxProfile, Fixed> = {
  none: { network: 'on', view: 'everything', home: 'own', repository: 'writable', createsSettings: true, limits: {} },
  dev: { network: 'on', view: 'machine', home: 'own', repository: 'guarded', createsSettings: true, limits: {} },
  balanced: {
    network: 'off',
    view: 'restricted',
    home: 'empty',
    repository: 'guarded',
    createsSettings: true,
    limits: {},
  },
  prod: {
    network: 'always off',
    view: 'restricted',
    home: 'empty',
    repository: 'read-only',
    createsSettings: false,
    limits: { memory_bytes: 4 * GIBIBYTE, processes: 512, open_files: 4096, file_bytes: 4 * GIBIBYTE },
  },
};

/** Throws if the profile does not exist, or cannot have this network. */
export function sandboxProfile(
  profile: SandboxProfile,
  { network }: { network?: 'on' | 'off' | undefined } = {},
): ProfileView {
  const fixed = PROFILES[profile];
  if (fixed === undefined) {
    throw new TachoError('INVALID_PARAMS', `unknown sandbox profile "${profile}"`, {
      facts: { profile },
      fix: `Choose one of ${SANDBOX_PROFILES.join(', ')}.`,
    });
  }
  if (profile === 'none' && network === 'off') throw noNetwork(profile, 'without a sandbox the network is always on');
  if (fixed.network === 'always off' && network === 'on') throw noNetwork(profile, 'its programs have no network');
  return { ...fixed, profile, network: fixed.network === 'always off' ? 'off' : (network ?? fixed.network) };
}

function noNetwork(profile: SandboxProfile, why: string): TachoError {
  return new TachoError(
    'INVALID_PARAMS',
    `the sandbox profile "${profile}" does not allow this network setting: ${why}`,
    {
      facts: { profile },
      fix: 'Omit the network setting, or choose the profile balanced or dev.',
    },
  );
}
