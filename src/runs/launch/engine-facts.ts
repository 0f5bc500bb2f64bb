import type { EngineProfile } from '../../engines/index.ts';
import type { EngineFacts, SignInFacts } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import { type EnginePlaces, findEngineProgram, isTested } from './engine-program.ts';
import { knownEngines } from './known-engines.ts';
import { enginePlaces, managedHome } from './plan-launch.ts';
import { type SignInPlaces, signInFacts } from './sign-in.ts';

/** All engines: whether they are installed and signed in, their capabilities, and what to do next. */
export function engineFacts(context: RunContext, workspace = process.cwd()): EngineFacts[] {
  const places = { ...enginePlaces(context), workspace };
  const signs = { env: variablesOf(context), managedHome: managedHome(context), workspace };
  return knownEngines(context).map((profile) => factsOf(profile, places, signs));
}

/** With keys in a trusted `.env`, which engines get too. */
function variablesOf({ env, envFileKeys = [] }: RunContext): Record<string, string | undefined> {
  return { ...Object.fromEntries(envFileKeys.map(({ name, value }) => [name, value ?? undefined])), ...env };
}

function factsOf(profile: EngineProfile, places: EnginePlaces, signs: SignInPlaces): EngineFacts {
  const { name, title, testedVersions, capabilities, install, gone, definition } = profile;
  const program = findEngineProgram(profile, places);
  const signIn = signInFacts(profile, signs);
  return {
    name,
    title,
    ...(definition === undefined ? {} : { extends: definition.extends }),
    installed: program !== null,
    path: program?.path ?? null,
    managed: program?.managed ?? false,
    version: program?.version ?? null,
    tested_versions: [...testedVersions],
    tested: program !== null && isTested(profile, program.version),
    capabilities: { ...capabilities },
    install: install && { package: install.package, version: install.version, needs_node: install.needsNode ?? null },
    ...(gone === undefined ? {} : { gone }),
    sign_in: signIn,
    next_step: program === null ? stepToInstall(profile) : stepAfter(profile, signIn),
  };
}

function stepToInstall({ name, installedAs = name, install, gone }: EngineProfile): string {
  if (install !== null) return `tacho engines install ${installedAs}`;
  return gone === undefined ? `tacho config explain engines.${name}` : `tacho import ${name}`;
}

function stepAfter({ name, signIn }: EngineProfile, { state, own_home }: SignInFacts): string {
  if (state !== 'no') return `tacho run ${name} "…"`;
  if (own_home !== undefined) return `tacho engines login ${name} --from-home`;
  return signIn?.login ? `tacho engines login ${name}` : `export ${signIn?.variables[0]}=…`;
}
