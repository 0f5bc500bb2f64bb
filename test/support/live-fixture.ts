import fs from 'node:fs';
import path from 'node:path';
import type { Meta } from '../../src/protocol/index.ts';
import { enginesFolder } from './install-engines.ts';
import { projectRoot } from './tacho.ts';

/** UPDATE_FIXTURES=1 stores the output of the real CLIs as fixtures; review the changes by hand. */
export const updatingFixtures = process.env.UPDATE_FIXTURES === '1';

/** For a run of a real CLI: its logs for tests without the CLI, and the events that every such run must give. */
export function writeLiveFixture(audit: string, engine: string, name: string, events: unknown): void {
  const folder = folderOf(engine, name);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'live-events.json'), `${JSON.stringify(events, null, 1)}\n`);
  for (const attempt of attemptsOf(audit)) {
    const suffix = attempt === 1 ? '' : `.${attempt}`;
    for (const stream of ['stdout', 'stderr']) {
      const printed = fs.readFileSync(path.join(audit, `${stream}.${attempt}.log`), 'latin1');
      // Stack traces contain the folder of this machine's engines.
      const kept = printed.replaceAll(enginesFolder, '/opt/engines');
      fs.writeFileSync(path.join(folder, `${stream}${suffix}.log`), kept, 'latin1');
    }
    const meta = JSON.parse(fs.readFileSync(path.join(audit, `meta.${attempt}.json`), 'utf8')) as Meta;
    const { exit_code, signal, mode, completion } = meta;
    const ended = { exit_code, signal, mode, ended_by: completion.rule === 0 ? completion.evidence[0]!.kind : null };
    fs.writeFileSync(path.join(folder, `exit${suffix}.json`), `${JSON.stringify(ended)}\n`);
  }
}

export function readLiveEvents(engine: string, name: string): unknown {
  return JSON.parse(fs.readFileSync(path.join(folderOf(engine, name), 'live-events.json'), 'utf8'));
}

function folderOf(engine: string, name: string): string {
  return path.join(projectRoot, 'test/fixtures', engine, `live-${name}`);
}

function attemptsOf(audit: string): number[] {
  const names = fs.readdirSync(audit);
  return names.flatMap((name) => (/^meta\.(\d+)\.json$/.exec(name) ? [Number(/\d+/.exec(name)![0])] : []));
}
