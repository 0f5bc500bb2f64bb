import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/**
 * Loads the YAML library when a file is there to be read: most starts meet none, and loading it costs more than the rest
 * of `loadConfig`. `require`, because `loadConfig` is synchronous and a lazy `import()` cannot be.
 */
export function yamlLibrary(): typeof Yaml {
  return createRequire(import.meta.url)('yaml') as typeof Yaml;
}
