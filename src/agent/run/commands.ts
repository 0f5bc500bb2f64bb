import type { CommandPosture, CommandRunner } from '../../tools/commands/index.ts';
import type { AgentOptions } from '../options.ts';

/** How commands run, and what they can reach. */
export interface Commands {
  runner: CommandRunner;
  posture: CommandPosture | { denied: string };
}

/** A sandbox that is impossible does not stop a run: its commands are denied, each with the reason. */
export async function openCommands(
  { sandbox = { profile: 'balanced' } }: Pick<AgentOptions<unknown>, 'sandbox'>,
  workspaceRoot: string,
): Promise<Commands> {
  if ('commands' in sandbox) return { runner: sandbox.commands, posture: sandbox.posture };
  const commands = await import('../../tools/commands/index.ts');
  const opened = await commands.openCommands({ ...sandbox, workspaceRoot });
  if (!('why' in opened)) return { runner: opened.commands, posture: opened.posture };
  return { runner: { run: () => Promise.resolve({ denied: opened.why }) }, posture: { denied: opened.why } };
}
