import { supervisePending } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';

/** `tacho supervise`: prints nothing, because it has no user; everything is in the run's events. */
export async function superviseRun(selector: string, options: CommonOptions): Promise<void> {
  await supervisePending(selector, openContext(options));
}
