import fs from 'node:fs';
import path from 'node:path';
import { byteLength, type SettledRequest, TachoError } from '../../protocol/index.ts';
import { probeStrace } from '../../recording/index.ts';
import { checkWorkingFolder } from '../attempt/prepare-run.ts';
import type { RunContext } from '../context.ts';
import { managedFolders } from '../launch/isolated-environment.ts';
import type { LaunchPlan } from '../launch/plan-launch.ts';
import { checkProgramEnv } from '../launch/program-environment.ts';
import { resolveCommand } from '../launch/resolve-command.ts';
import { requireSignIn } from '../launch/sign-in.ts';

/** All checks that need no file to be written. */
export async function checkRequest(request: SettledRequest, plan: LaunchPlan, context: RunContext): Promise<void> {
  const cwd = request.cwd ?? null;
  checkWorkingFolder(cwd);
  requireSignIn(request, plan, context);
  const managed = managedFolders(context.home.managed, 'attempt');
  const workspace = cwd ?? context.home.runs;
  const env = checkProgramEnv(request, {
    caller: { env: context.env, cwd: workspace },
    managed,
    engineSets: plan.environment(workspace),
  });
  const program = plan.program?.path ?? request.command![0]!;
  if (cwd === null) refuseRelative(program);
  resolveCommand(program, workspace, env.PATH);
  checkArgumentSize(plan.argv(workspace), env);
  if (request.capture !== 'trace') return;
  const probe = await probeStrace();
  if (probe.ok) return;
  throw new TachoError('TRACE_UNAVAILABLE', `--capture trace is not possible here: ${probe.reason}`, {
    facts: { reason: probe.reason },
    fix: `${probe.fix} Or record without a trace: --capture split`,
  });
}

/** A new folder contains no program, and files of the request are not executable. */
function refuseRelative(program: string): void {
  if (!program.includes('/') || path.isAbsolute(program)) return;
  throw new TachoError('COMMAND_NOT_FOUND', `${program}: command not found: the run starts in an empty folder`, {
    facts: { command: program },
    fix: 'Give the absolute path of the program, or an existing folder to run in.',
  });
}

/** Room for what is added at the start: the run id, the marker, a longer run folder, strace in front. */
const ARGUMENT_MARGIN = 16 * 1024;
const POINTER_BYTES = 8;

/** Arguments and environment share one area of the new process, limited by the kernel to a quarter of the stack. */
function checkArgumentSize(argv: readonly string[], env: Readonly<Record<string, string>>): void {
  const texts = [...argv, ...Object.entries(env).map((entry) => entry.join('='))];
  const bytes = texts.reduce((sum, text) => sum + byteLength(text) + 1 + POINTER_BYTES, 0);
  const limit = kernelArgumentBytes() - ARGUMENT_MARGIN;
  if (bytes <= limit) return;
  throw new TachoError(
    'INVALID_REQUEST',
    `the command and its environment take ${bytes} bytes; the system allows ${limit}`,
    { facts: { bytes, limit }, fix: 'Put long texts into files in the workspace and pass their names.' },
  );
}

/** A quarter of the stack limit, but at least 128 KiB and at most 6 MiB (`setup_arg_pages` in the kernel). */
function kernelArgumentBytes(): number {
  const limits = fs.readFileSync('/proc/self/limits', 'latin1');
  const soft = /^Max stack size +(\d+|unlimited)/m.exec(limits)?.[1];
  const stack = soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  return Math.max(128 * 1024, Math.min(6 * 1024 * 1024, stack / 4));
}
