// Where the built command begins. CommonJS: Node takes 10 ms longer to start with an ES module.

import path from 'node:path';
import { printVersion } from '../command-line.ts';
import { untilDone } from '../until-done.ts';

const RECORDING_COMMANDS = ['run', 'resume', 'supervise'];

const argv = process.argv.slice(2);
if (!printVersion(argv)) untilDone(begin());

async function begin(): Promise<void> {
  if (!RECORDING_COMMANDS.includes(argv[0] ?? '')) {
    await import('./cli.js' as string);
    return;
  }
  // Only a command without options is recorded without a schema.
  const isPlain = argv[0] === 'run' && argv[1] === '--';
  const { loadBundle } = await import('./load-bundle.ts');
  const bundle = loadBundle(path.join(__dirname, 'record.cjs'), isPlain ? '' : '-full') as typeof import('./record.ts');
  await bundle.runRecordingCommand(argv);
}
