import { nearest } from '../../config/nearest-key.ts';
import { TachoError } from '../../protocol/error-code.ts';
import type { RuntimeParts } from '../runtime-port.ts';
import type { Tool } from '../tool.ts';
import { closeAgent, resumeAgent, sendInput, spawnAgent, waitForAgents } from './agent-tools.ts';
import { applyPatch } from './apply-patch.ts';
import { askHuman } from './ask-human.ts';
import { fileRead } from './file-read.ts';
import { fileWrite } from './file-write.ts';
import { grepFiles } from './grep-files.ts';
import { listDir } from './list-dir.ts';
import { readFile } from './read-file.ts';
import { requestUserInput } from './request-user-input.ts';
import { offersAgents, offersTerminals } from './runtime-of.ts';
import { shellCommand } from './shell-command.ts';
import { shellExec } from './shell-exec.ts';
import { skillExec } from './skill-exec.ts';
import { skillRefRead } from './skill-ref-read.ts';
import { execCommand, writeStdin } from './terminal-tools.ts';
import { updatePlan } from './update-plan.ts';

const ALWAYS: readonly Tool[] = [
  ...[shellExec, shellCommand, fileRead, fileWrite, readFile, listDir, grepFiles, applyPatch],
  ...[askHuman, requestUserInput, updatePlan],
] as Tool[];
const WITH_SKILLS = [skillExec, skillRefRead] as Tool[];
const WITH_TERMINALS = [execCommand, writeStdin] as Tool[];
const WITH_AGENTS = [spawnAgent, waitForAgents, sendInput, closeAgent, resumeAgent] as Tool[];

export interface BuiltinOptions {
  /** Only these, in this order. */
  names?: readonly string[];
  /** Whether there are skills; their tools are offered only then, or if named. */
  skills?: boolean;
  /** Whether there is a workspace runtime, or which parts of it; its tools are offered only then. */
  runtime?: boolean | RuntimeParts;
}

/** The tools that come with tacho. Throws TOOL_INVALID for a name that none of them has. */
export function builtinTools({ names, skills = false, runtime = false }: BuiltinOptions = {}): Tool[] {
  const offered = [...ALWAYS, ...(skills ? WITH_SKILLS : []), ...toolsOf(runtime)];
  if (names === undefined) return offered;
  const known = new Map([...offered, ...WITH_SKILLS].map((one) => [one.name, one]));
  return names.map((name) => known.get(name) ?? refuse(name, [...known.keys()]));
}

function toolsOf(runtime: boolean | RuntimeParts): readonly Tool[] {
  if (typeof runtime === 'boolean') return runtime ? [...WITH_TERMINALS, ...WITH_AGENTS] : [];
  return [...(offersTerminals(runtime) ? WITH_TERMINALS : []), ...(offersAgents(runtime) ? WITH_AGENTS : [])];
}

function refuse(name: string, known: readonly string[]): never {
  if (toolsOf(true).some((one) => one.name === name)) {
    throw new TachoError('TOOL_INVALID', `the tool "${name}" needs a workspace runtime`, {
      facts: { tool: name },
      fix: 'Leave it out, or pass the runtime.',
    });
  }
  const near = nearest(
    name,
    known.map((word) => ({ word })),
  )?.word;
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new TachoError('TOOL_INVALID', `there is no built-in tool "${name}"`, {
    facts: { tool: name, known },
    fix: `Built-in tools are: ${known.join(', ')}.${meant}`,
  });
}
