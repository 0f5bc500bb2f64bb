import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import { probeStrace } from '../../recording/index.ts';
import { checkWorkingFolder } from '../attempt/prepare-run.ts';
import type { RunContext } from '../context.ts';
import type { LaunchPlan } from '../launch/plan-launch.ts';
import { resolveCommand } from '../launch/resolve-command.ts';
import type { RunRequest } from './run-request.ts';

/** Everything that can be refused without leaving a trace. */
export async function checkRequest(request: RunRequest, plan: LaunchPlan, context: RunContext): Promise<void> {
  checkWorkingFolder(request.cwd);
  const searchPath = request.env.PATH ?? context.env.PATH ?? '';
  resolveCommand(
    plan.program?.path ?? request.command[0]!,
    request.cwd ?? process.cwd(),
    `${path.join(context.home.managed, 'bin')}:${searchPath}`,
  );
  if (request.capture !== 'trace') return;
  const probe = await probeStrace();
  if (probe.ok) return;
  throw new TachoError('TRACE_UNAVAILABLE', `--capture trace is not possible here: ${probe.reason}`, {
    facts: { reason: probe.reason },
    fix: `${probe.fix} Or record without a trace: --capture split`,
  });
}
