import fs from 'node:fs';
import type { NewRun } from '../../client/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { RunOptions } from '../commands/run.ts';
import { usage } from '../run/record-options.ts';

/** The fields of a request that are about skills. */
export function skillFields(options: RunOptions): Pick<NewRun, 'skill' | 'skills' | 'input' | 'parameters'> {
  const { skill, skills, input } = options;
  if (skill === undefined) {
    const [flag] = Object.entries({ '--input': input, '--param': options.param, '--parameters': options.parameters })
      .filter(([, given]) => given !== undefined)
      .map(([name]) => name);
    if (flag) throw usage(`${flag} needs a skill`, `Name it: --skill review ${flag} …`);
  }
  return {
    skill,
    skills: skills === undefined ? undefined : skillsOf(skills),
    input: input === undefined ? undefined : jsonOf('--input', input),
    parameters: parametersOf(options),
  };
}

function skillsOf(text: string): NewRun['skills'] {
  if (text === 'all' || text === 'none') return text;
  const names = text.split(',').map((name) => name.trim());
  if (!names.includes('')) return names;
  throw usage(`--skills ${text}: a name is missing`, 'Use all, none, or names with commas between them: review,notes');
}

/** Those of a file, then those named one by one. */
function parametersOf({ param = [], parameters }: RunOptions): Record<string, unknown> | undefined {
  if (param.length === 0 && parameters === undefined) return undefined;
  const all = parameters === undefined ? {} : jsonOf('--parameters', parameters);
  if (typeof all !== 'object' || all === null || Array.isArray(all)) {
    throw usage('--parameters has to be a JSON object', 'Example: --parameters \'{"depth": 2}\'');
  }
  const named = param.map((entry): [string, unknown] => {
    const equals = entry.indexOf('=');
    if (equals < 1) throw usage(`--param ${entry}: a name and a value are needed`, 'Example: --param depth=2');
    return [entry.slice(0, equals), parameterOf(entry.slice(equals + 1))];
  });
  return { ...all, ...Object.fromEntries(named) };
}

/** JSON, or else text. */
function parameterOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** JSON, `@file` or `-` for standard input. */
function jsonOf(flag: string, given: string): unknown {
  const isFile = given.startsWith('@');
  const place = isFile ? given.slice(1) : given === '-' ? 'standard input' : null;
  let text = given;
  if (place !== null) {
    try {
      text = fs.readFileSync(isFile ? place : 0, 'utf8');
    } catch (cause) {
      throw new TachoError('USAGE', `${flag} ${given}: ${(cause as Error).message}`, {
        cause,
        fix: `Name a file that exists: ${flag} @in.json`,
      });
    }
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TachoError('USAGE', `${flag}: ${place ?? 'the value'} is not JSON: ${(cause as Error).message}`, {
      cause,
      fix: `Give JSON, ${flag} @file, or ${flag} - for standard input.`,
    });
  }
}
