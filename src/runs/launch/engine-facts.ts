import type { EngineProfile } from '../../engines/index.ts';
import type { EngineFacts } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import { findEngineProgram, isTested } from './engine-program.ts';
import { knownEngines } from './known-engines.ts';
import { enginePlaces } from './plan-launch.ts';

/** All engines: whether they are installed, and their capabilities. */
export function engineFacts(context: RunContext): EngineFacts[] {
  const places = enginePlaces(context);
  return knownEngines(context).map((profile) => factsOf(profile, places));
}

function factsOf(profile: EngineProfile, places: ReturnType<typeof enginePlaces>): EngineFacts {
  const { name, title, testedVersions, capabilities, install, gone, definition } = profile;
  const program = findEngineProgram(profile, places);
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
  };
}
