// Entry point of the built command. CommonJS: Node takes 10 ms longer to start with an ES module.

import { printVersion } from '../command-line.ts';
import { untilDone } from '../until-done.ts';

const argv = process.argv.slice(2);
if (!printVersion(argv)) untilDone(begin());

async function begin(): Promise<void> {
  const { expandAlias } = await import('./aliases.ts');
  const { launchOf } = await import('./bundles.ts');
  const { loadBundle } = await import('./load-bundle.ts');
  const words = expandAlias(argv);
  const bundle = loadBundle(__dirname, launchOf(words)) as typeof import('../command-line.ts');
  await bundle.runCommandLine(words);
}
