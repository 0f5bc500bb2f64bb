import { execFileSync } from 'node:child_process';
import { type EngineProfile, listEngines } from '../../src/engines/index.ts';
import { TachoError } from '../../src/protocol/index.ts';
import { compareVersions } from '../../src/runs/launch/engine-version.ts';

/** One version of an engine to try. */
export interface WantedVersion {
  profile: EngineProfile;
  package: string;
  version: string;
  /** pinned, newest, older, newer. */
  roles: string[];
}

interface Older {
  version: string;
  /** Where it was published under another name. */
  package?: string;
}

/** Versions that people may still have: some of each set of arguments in the profiles, and some months old. */
const OLDER: Readonly<Record<string, readonly Older[]>> = {
  codex: [{ version: '0.80.0' }, { version: '0.113.0' }],
  gemini: [{ version: '0.18.4' }, { version: '0.25.0' }, { version: '0.35.2' }],
  claude: [{ version: '1.0.102' }, { version: '2.0.59' }, { version: '2.1.197' }],
  opencode: [{ version: '1.0.152' }, { version: '1.3.0' }, { version: '1.14.41' }],
  qwen: [{ version: '0.10.1' }, { version: '0.15.10' }],
  pi: [
    { version: '0.70.6', package: '@mariozechner/pi-coding-agent' },
    { version: '0.73.1', package: '@mariozechner/pi-coding-agent' },
  ],
};

/** `codex` stands for all its versions, `codex@0.113.0` for one; nothing for all versions of all engines. */
export function wantedVersions(words: readonly string[]): WantedVersion[] {
  const installable = listEngines().filter(({ install }) => install !== null);
  const names = words.length === 0 ? installable.map(({ name }) => name) : words;
  return names.flatMap((word) => {
    const [name, version] = word.split('@', 2);
    const profile = installable.find((engine) => engine.name === name);
    if (!profile) {
      const known = installable.map((engine) => engine.name).join(', ');
      throw new TachoError('USAGE', `there is no engine "${name}" to install`, { fix: `Engines: ${known}` });
    }
    return version === undefined ? allVersions(profile) : [oneVersion(profile, version)];
  });
}

/** The newest first. */
function allVersions(profile: EngineProfile): WantedVersion[] {
  const { package: name, version: pinned } = profile.install!;
  const older = OLDER[profile.name] ?? [];
  const versions = new Set([newestOf(name), pinned, ...older.map(({ version }) => version)]);
  return [...versions].sort((one, other) => compareVersions(other, one)).map((version) => oneVersion(profile, version));
}

function oneVersion(profile: EngineProfile, version: string): WantedVersion {
  const { package: current, version: pinned } = profile.install!;
  const older = OLDER[profile.name]?.find((one) => one.version === version);
  const order = compareVersions(version, pinned);
  const roles = [
    ...(order === 0 ? ['pinned'] : []),
    ...(version === newestOf(current) ? ['newest'] : []),
    ...(order < 0 ? ['older'] : []),
  ];
  return { profile, package: older?.package ?? current, version, roles: roles.length === 0 ? ['newer'] : roles };
}

const newest = new Map<string, string>();

function newestOf(name: string): string {
  const known = newest.get(name);
  if (known !== undefined) return known;
  const printed = execFileSync('npm', ['view', name, 'dist-tags.latest', '--loglevel=error'], { encoding: 'utf8' });
  newest.set(name, printed.trim());
  return printed.trim();
}
