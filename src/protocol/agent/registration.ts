import * as z from 'zod';

/** A run of an agent that asked to be shown: `<data>/agents/<run id>.json`. Only where its log is; all else is in the log. */
export const agentRegistrationSchema = z.strictObject({
  format: z.literal('tacho-agent-run/1'),
  run_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  workspace: z.string().max(4096).regex(/^\//, 'an absolute path'),
  locator: z.string().max(4400).describe('Path of the log.'),
  registered_at: z.iso.datetime(),
});
export type AgentRegistration = z.infer<typeof agentRegistrationSchema>;
