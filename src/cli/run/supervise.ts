import { supervisePending } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';

/** `tacho supervise`: has nobody to talk to; what there is to say is in the run's events. */
export async function superviseRun(selector: string, options: CommonOptions): Promise<void> {
  await supervisePending(selector, openContext(options));
}
