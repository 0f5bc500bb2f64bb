import { defineEngine, type EngineProfile, findEngine, listEngines } from '../../engines/index.ts';
import { ENGINE_NAMES, type RunRequest, type SettledRequest, TachoError } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';

type Configured = Pick<RunContext, 'config' | 'settings'>;

/** Tacho's own engines, then those that the configuration defines. */
export function knownEngines({ config }: Pick<RunContext, 'config'>): EngineProfile[] {
  const defined = Object.entries(config.engines.defined);
  return [...listEngines(), ...defined.map(([name, definition]) => defineEngine(name, definition))];
}

export function engineNames({ config }: Pick<RunContext, 'config'>): string[] {
  return [...ENGINE_NAMES, ...Object.keys(config.engines.defined)];
}

/** The engine with this name. */
export function requireEngine(name: string, context: Configured): EngineProfile {
  if ((ENGINE_NAMES as readonly string[]).includes(name)) return findEngine(name)!;
  const { defined } = context.config.engines;
  if (Object.hasOwn(defined, name)) return defineEngine(name, defined[name]!);
  const names = engineNames(context);
  const file = ignoredIn(name, context);
  throw new TachoError('UNKNOWN_ENGINE', `unknown engine "${name}"`, {
    facts: { engine: name, engines: names },
    fix:
      file === null
        ? `Engines: ${names.join(', ')}. To record any other command: tacho run -- ${name}`
        : `${file} defines it, but the folder is not trusted. To look at it and allow it: tacho trust`,
  });
}

/** The file of an untrusted workspace that defines the engine; null if none does. */
export function ignoredIn(name: string, { settings = [] }: Pick<RunContext, 'settings'>): string | null {
  const ignored = settings.find(({ from, keys }) => from === 'workspace_ignored' && keys.includes(`engines.${name}`));
  return ignored?.file ?? null;
}

/** The engine that a request names, or the one whose format its command prints; null for a plain command. */
export function engineOfRequest(
  { engine, parse_as, definition }: Pick<RunRequest | SettledRequest, 'engine' | 'parse_as' | 'definition'>,
  context: Configured,
): EngineProfile | null {
  const name = engine ?? parse_as;
  if (name === undefined) return null;
  return definition === undefined ? requireEngine(name, context) : defineEngine(name, definition);
}
