import { type EngineProfile, listEngines } from '../../engines/index.ts';
import type { EngineFacts } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import { findEngineProgram, isTested } from './engine-program.ts';
import { enginePlaces } from './plan-launch.ts';

/** All engines: whether they are installed, and their capabilities. */
export function engineFacts(context: RunContext): EngineFacts[] {
  const places = enginePlaces(context);
  return listEngines().map((profile) => factsOf(profile, places));
}

function factsOf(profile: EngineProfile, places: ReturnType<typeof enginePlaces>): EngineFacts {
  const { name, title, testedVersions, capabilities, install } = profile;
  const program = findEngineProgram(profile, places);
  return {
    name,
    title,
    installed: program !== null,
    path: program?.path ?? null,
    managed: program?.managed ?? false,
    version: program?.version ?? null,
    tested_versions: [...testedVersions],
    tested: program !== null && isTested(profile, program.version),
    capabilities: { ...capabilities },
    install: install && { package: install.package, version: install.version, needs_node: install.needsNode ?? null },
  };
}
