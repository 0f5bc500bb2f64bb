import { listEngines as allEngines } from '../../engines/index.ts';
import type { EngineFacts, SignInFacts } from '../../protocol/index.ts';
import { engineFacts, enginePlaces, installEngine, requireEngine } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { table } from '../output/format.ts';
import { paint } from '../output/paint.ts';

export function listEngines(options: CommonOptions): void {
  const facts = engineFacts(openContext(options));
  process.stdout.write(options.json ? `${JSON.stringify({ engines: facts })}\n` : describe(facts));
}

function describe(facts: readonly EngineFacts[]): string {
  const rows = facts.map((engine) => [
    engine.name,
    describeProgram(engine),
    engine.installed && engine.sign_in ? describeSignIn(engine.sign_in) : '–',
    engine.next_step ?? '',
  ]);
  return table([['ENGINE', 'INSTALLED', 'SIGNED IN', 'NEXT'], ...rows]);
}

function describeProgram({ installed, version, tested, managed, extends: base, gone }: EngineFacts): string {
  if (!installed) return gone === undefined ? 'no' : 'discontinued';
  if (version === null) return base === undefined ? 'yes' : `yes, reads as ${base}`;
  return `${version}${managed ? '' : ' on PATH'}${tested ? '' : ' (untested)'}`;
}

/** Whether it is signed in, and how tacho knows. */
function describeSignIn({ state, by, name, own_home }: SignInFacts): string {
  switch (state) {
    case 'yes':
      return by === 'variable' ? `yes: ${name} is set` : `yes: ${name}`;
    case 'no':
      return own_home === undefined ? 'no' : 'no, but in your own home';
    case 'unknown':
      return name === undefined ? 'unknown' : `unknown: see ${name}`;
    case 'not_needed':
      return 'not needed';
  }
}

export async function installEngines(names: readonly string[], options: CommonOptions): Promise<void> {
  const context = openContext(options);
  const named = () => names.map((name) => requireEngine(name, context));
  const wanted = names.includes('all') ? allEngines().filter(({ install }) => install) : named();
  const places = enginePlaces(context);
  const done: { name: string; path: string; version: string | null; installed: boolean }[] = [];
  for (const profile of wanted) {
    const result = await installEngine(profile, places, {
      say: (text) => void process.stderr.write(`${text}\n`),
    });
    done.push({ name: profile.name, ...result });
    if (options.json) continue;
    const how = result.installed ? 'installed' : 'was already installed';
    process.stdout.write(`${paint.green('✔')} ${profile.name} ${result.version} ${how}: ${result.path}\n`);
  }
  if (options.json) process.stdout.write(`${JSON.stringify({ engines: done })}\n`);
}
