import { type EditRequest, explainConfig, findConfigKey, setConfig, unsetConfig } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { isInSession } from '../../terminal/index.ts';
import type { EditOptions } from '../commands/config.ts';
import { here, loadHere } from './load-here.ts';

/** `tacho config set` */
export async function setCommand(key: string, value: string, options: EditOptions): Promise<void> {
  const { name } = await setConfig(editRequest(options), key, value);
  report(key, name, options);
}

/** `tacho config unset` */
export async function unsetCommand(key: string, options: EditOptions): Promise<void> {
  const { name } = await unsetConfig(editRequest(options), key);
  report(key, name, options);
}

function editRequest(options: EditOptions): EditRequest {
  // An agent can write the workspace's file, which needs trust. The user's file does not, so a session must not change
  // it.
  if (!options.workspace && isInSession()) {
    throw new TachoError('TRUST_REFUSED', 'a program that tacho runs cannot change your own settings', {
      fix: 'Call tacho config set in a terminal of your own, or pass --workspace.',
    });
  }
  return { ...here(options), file: options.workspace ? 'workspace' : 'user' };
}

/** The value in effect: another setting may override it, or the folder may not be trusted. */
function report(key: string, file: string, options: EditOptions): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ key: pathOf(key), file })}\n`);
    return;
  }
  process.stdout.write(`${[`wrote ${file}`, ...effective(key, options)].join('\n')}\n`);
}

function effective(key: string, options: EditOptions): string[] {
  try {
    return explainConfig(loadHere(options), key).filter(
      (line) => !line.startsWith('  ') || line.startsWith('  Ignored'),
    );
  } catch {
    return []; // An unknown key or entry that was just removed.
  }
}

function pathOf(key: string): string {
  try {
    return findConfigKey(key).path;
  } catch {
    return key;
  }
}
