import os from 'node:os';

export function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(os.constants.signals, name);
}
