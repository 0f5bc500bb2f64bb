import { formatSource, type LoadedConfig } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { SandboxSettings } from './agent-settings.ts';

/** Settings that may come from different files, and exclude each other. */
export function checkSandbox({ profile, network }: SandboxSettings, loaded: LoadedConfig): void {
  const isImpossible = (profile === 'prod' && network === 'on') || (profile === 'none' && network === 'off');
  if (!isImpossible) return;
  const [profileBy, networkBy] = ['sandbox.profile', 'sandbox.network'].map((key) => {
    return formatSource(loaded.origin(key).source);
  });
  const why =
    profile === 'prod' ? 'its programs never have a network' : 'without a sandbox, programs always have the network';
  throw new TachoError(
    'CONFIG_INVALID',
    `${networkBy}: sandbox.network cannot be ${network} with the profile ${profile} (${profileBy}): ${why}`,
    { facts: { path: 'sandbox.network' }, fix: 'Remove sandbox.network, or choose the profile balanced or dev.' },
  );
}
