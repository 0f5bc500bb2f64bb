import type { SandboxRequest } from '../protocol/terminal/index.ts';
import type { EntryOptions } from './entry.ts';
import { type EnteredSandbox, openSandbox, type Sandbox, type SandboxOptions } from './open-sandbox.ts';
import type { Place } from './plan.ts';

export interface EnteredProfile extends EnteredSandbox {
  /** Variables of a program that is given no others. */
  defaults: Sandbox['environment'];
}

/** Each remembers the folders of a workspace. */
const MAX_OPENED = 8;

/** Enters the sandbox of a profile as commands of an agent do; what it found out about a workspace is used again. */
export class ProfileSandboxes {
  readonly #opened = new Map<string, Promise<Sandbox | { why: string }>>();

  async enter(
    { profile, network, read, write, hide, fixed, home, path }: SandboxRequest & { profile: SandboxOptions['profile'] },
    { workspace, cwd, environment, dataFolder, hidden = [], firstDescriptor }: ProfilePlace,
  ): Promise<EnteredProfile | { why: string }> {
    const options = { profile, network, read, write, fixed, home, path, dataFolder, hidden: [...hidden, ...hide] };
    const sandbox = await this.#open({ ...options, workspaceRoot: workspace });
    if ('why' in sandbox) return sandbox;
    const defaults = sandbox.environment;
    const entered = sandbox.enter({ cwd, env: { ...defaults, ...environment }, firstDescriptor });
    return 'why' in entered ? entered : { ...entered, defaults };
  }

  async #open(options: SandboxOptions): Promise<Sandbox | { why: string }> {
    const key = JSON.stringify(options);
    const opening = this.#opened.get(key) ?? openSandbox(options);
    this.#opened.delete(key);
    this.#opened.set(key, opening);
    for (const oldest of this.#opened.keys()) if (this.#opened.size > MAX_OPENED) this.#opened.delete(oldest);
    const isUsable = await opening.then(
      (sandbox) => !('why' in sandbox),
      () => false,
    );
    // The reason may not last.
    if (!isUsable) this.#opened.delete(key);
    return await opening;
  }
}

type ProfilePlace = Place & Pick<EntryOptions, 'firstDescriptor'>;
