import type { Script } from './script.ts';
import { approve } from './scripts/approve.ts';
import { fail } from './scripts/fail.ts';
import { report } from './scripts/report.ts';
import { slow } from './scripts/slow.ts';

const SCRIPTS: readonly Script[] = [fail, slow, approve, report];

export function chooseScript(prompt: string): Script {
  return SCRIPTS.find(({ word }) => word === null || word.test(prompt))!;
}

export function scriptNamed(name: string): Script {
  const script = SCRIPTS.find((one) => one.name === name);
  if (!script) throw new Error(`there is no script "${name}"`);
  return script;
}
