import type { ToolContext } from '../context.ts';
import type { RuntimePort } from '../runtime-port.ts';
import { ToolFailure } from '../tool-failure.ts';

export function runtimeOf({ runtime }: ToolContext): RuntimePort {
  if (runtime) return runtime;
  throw new ToolFailure(
    'unavailable',
    'terminals and child agents need a workspace runtime, which this run does not have',
  );
}
