import path from 'node:path';
import { GuardCache, type GuardedTree } from './guard-cache.ts';
import { guardRepository, obeyedIn } from './guarded-paths.ts';
import { lookAt, readSmallFile } from './look.ts';
import { isInside } from './path-inside.ts';
import {
  EXCLUDE_PLACES,
  findPlaces,
  GIT_PLACES,
  holdPlaces,
  releasePlaces,
  SETTINGS_PLACES,
  TACHO_PLACES,
} from './placeholders.ts';
import { planSandbox, type SandboxPlan } from './plan.ts';
import type { ProfileView } from './profile.ts';
import { secretPaths } from './secret-paths.ts';

export interface PlannedPlace {
  /** Absolute, without links. */
  workspace: string;
  home: string;
  dataFolder?: string | undefined;
  hidden: readonly string[];
  read: readonly string[];
  write: readonly string[];
  /** Read-only, although the folder around them is writable. */
  fixed: readonly string[];
}

export type ProfilePlanned =
  | { plan: SandboxPlan; made: string[] /** Of the file that is shown as text. */; text: string | null }
  | { why: string };

/**
 * The mounts of a profile in a workspace, found anew for every command: a repository or a dotfile may have been created
 * since the last one. If there is nothing new, the last plan is used again.
 */
export class ProfilePlans {
  readonly #view: ProfileView;
  readonly #place: PlannedPlace;
  readonly #guards: GuardCache[];
  #last: { key: string; plan: SandboxPlan } | null = null;
  /** How many plans were made. */
  made = 0;
  /** What the last search found, of all folders that are shown. */
  found: Pick<GuardedTree, 'folders' | 'complete'> = { folders: 0, complete: true };

  constructor(view: ProfileView, place: PlannedPlace) {
    this.#view = view;
    this.#place = place;
    const shown = [place.workspace, ...place.write, ...place.read].flatMap((item) => lookAt(item)?.real ?? []);
    this.#guards = [...new Set(shown)].filter((root) => root !== '/').map((root) => new GuardCache(root));
  }

  /** `made` has to be released when the program has ended. */
  next(): ProfilePlanned {
    const { workspace } = this.#place;
    const trees = this.#guards.map((guard) => guard.find());
    this.found = {
      folders: trees.reduce((sum, { folders }) => sum + folders, 0),
      complete: trees.every(({ complete }) => complete),
    };
    const repositories = trees.flatMap((tree) => tree.repositories);
    const made = this.#hold(repositories);
    const own = [path.join(workspace, '.tacho'), ...this.#place.hidden];
    const hidden = [...new Set([...own, ...trees.flatMap((tree) => tree.hidden)])];
    const fixed = this.#fixed(repositories);
    const skills = lookAt(path.join(workspace, '.tacho/skills'));
    const text = this.#excludePlaces(made);
    const key = JSON.stringify([hidden, [...hidden, ...fixed].map(lookAt), text === null, skills]);
    if (this.#last?.key === key) return { plan: this.#last.plan, made, text };
    const planned = this.#plan(hidden, fixed);
    if ('why' in planned) {
      releasePlaces(made);
      return planned;
    }
    if (skills?.folder && skills.real === path.join(workspace, '.tacho/skills')) {
      planned.plan.mounts.push({ path: skills.real, shows: 'host', source: skills.real, writable: false });
    }
    if (text !== null) {
      planned.plan.mounts.push({ path: excludeFile(workspace), shows: 'text' });
    }
    this.#last = { key, plan: planned.plan };
    this.made++;
    return { plan: planned.plan, made, text };
  }

  #hold(repositories: readonly string[]): string[] {
    const { workspace, write } = this.#place;
    const held = holdPlaces(workspace, [...TACHO_PLACES, ...(this.#view.createsSettings ? [] : SETTINGS_PLACES)]);
    if (this.#view.repository !== 'guarded') return held;
    const writable = [workspace, ...write];
    for (const repository of repositories) {
      const isWritable = writable.some((folder) => isInside(repository, folder));
      if (isWritable && path.basename(repository) === '.git')
        held.push(...holdPlaces(path.dirname(repository), GIT_PLACES));
    }
    return held;
  }

  /**
   * Placeholders must not be added to the repository: what git ignores here, with them; null if there is none. Holds the
   * place of that file as well.
   */
  #excludePlaces(made: string[]): string | null {
    const { workspace } = this.#place;
    const git = lookAt(path.join(workspace, '.git'));
    const seenByGit = findPlaces(workspace).filter((item) => !item.includes('/.git/') && !lookAt(item)?.folder);
    if (!git?.folder || git.link !== null || seenByGit.length === 0) return null;
    made.push(...holdPlaces(workspace, EXCLUDE_PLACES));
    const own = readSmallFile(excludeFile(workspace));
    const names = seenByGit.map((item) => `/${path.relative(workspace, item)}\n`);
    return own === null ? null : `${own}\n${names.join('')}`;
  }

  #fixed(repositories: readonly string[]): string[] {
    const { workspace, write, fixed } = this.#place;
    return [
      ...[workspace, ...write].flatMap(obeyedIn),
      ...(this.#view.repository === 'read-only' ? repositories : repositories.flatMap(guardRepository)),
      ...fixed,
    ];
  }

  #plan(hidden: readonly string[], fixed: readonly string[]) {
    const { workspace, home, dataFolder, write } = this.#place;
    const { view, network } = this.#view;
    const read = [...this.#place.read, ...(view === 'machine' ? wholeMachine(network) : [])];
    const shown = [workspace, ...write, ...read];
    const request = {
      network,
      workspace: 'write' as const,
      read,
      write: [...write],
      // Only where it would be visible; an empty home has none of it.
      hide: secretPaths(home).filter((secret) => shown.some((root) => isInside(secret, root)) && secret !== workspace),
    };
    const environment: Record<string, string> = this.#view.home === 'empty' ? { HOME: home } : {};
    const place = { workspace, cwd: workspace, environment, dataFolder, hidden, fixed };
    return planSandbox(request, place, lookAt);
  }
}

function excludeFile(workspace: string): string {
  return path.join(workspace, '.git/info/exclude');
}

/** Everything; and the addresses of name servers, which are in a folder that is hidden otherwise. */
function wholeMachine(network: 'on' | 'off'): string[] {
  const names = network === 'on' ? lookAt('/etc/resolv.conf')?.real : undefined;
  return ['/', ...(names?.startsWith('/run/') ? [names] : [])];
}
