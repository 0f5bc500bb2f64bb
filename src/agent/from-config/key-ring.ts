import { type EnvFileKey, formatSource, type LoadedConfig } from '../../config/index.ts';
import type { IgnoredSetting } from './agent-settings.ts';
import { SecretKey } from './secret-key.ts';

/** Finds the values of the variables that settings name: in the environment, else in a trusted `.env`. */
export class KeyRing {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #inFile: ReadonlyMap<string, EnvFileKey>;
  readonly #found = new Map<string, SecretKey>();
  readonly #ignored = new Map<string, IgnoredSetting>();

  constructor({ envFileKeys, namedKeys }: LoadedConfig, env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
    this.#inFile = new Map([...envFileKeys, ...namedKeys].map((key) => [key.name, key]));
  }

  /** Null if it is not set, or only by a `.env` that is not trusted. */
  find(name: string): SecretKey | null {
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const inFile = this.#inFile.get(name);
    const ofUser = this.#env[name];
    if (!ofUser && inFile?.value === null) {
      const source = formatSource(inFile.source);
      this.#ignored.set(name, { path: name, value: '‹set›', source, reason: 'untrusted' });
    }
    const value = ofUser || inFile?.value;
    if (!value) return null;
    const key = new SecretKey(name, value, ofUser ? 'environment' : formatSource(inFile!.source));
    this.#found.set(name, key);
    return key;
  }

  /** Keys that were wanted, and are set in a `.env` that is not trusted. */
  get ignored(): IgnoredSetting[] {
    return [...this.#ignored.values()];
  }
}
