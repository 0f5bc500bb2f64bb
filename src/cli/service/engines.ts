import { listEngines as allEngines } from '../../engines/index.ts';
import type { EngineFacts } from '../../protocol/index.ts';
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
  const rows = facts.map(({ name, installed, version, tested, tested_versions, capabilities, gone, managed }) => [
    name,
    installed ? `${version ?? 'installed'}${tested ? '' : ' (untested)'}` : gone === undefined ? '–' : 'discontinued',
    tested_versions.join(', '),
    installed ? (managed ? 'tacho' : 'PATH') : '',
    Object.entries(capabilities)
      .filter(([, able]) => able)
      .map(([capability]) => capability)
      .join(' '),
  ]);
  const listed = table([['ENGINE', 'INSTALLED', 'TESTED', 'FROM', 'FEATURES'], ...rows]);
  const missing = facts.find(({ installed, install }) => !installed && install);
  return missing ? `${listed}${paint.dim(`\nInstall one with: tacho engines install ${missing.name}`)}\n` : listed;
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
