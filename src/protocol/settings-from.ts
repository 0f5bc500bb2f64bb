import * as z from 'zod';

/**
 * Where settings of a run came from, one entry for each place. `default`: built in. `user_file`: a file that the user named
 * in TACHO_CONFIG_PATHS. `workspace_trusted`: a file of the workspace whose content was trusted. `workspace_untrusted`: one
 * that was not; these keys are harmless, or it only made them stricter. `workspace_ignored`: what such a file wanted in
 * vain. `command_line` and `request`: said for this run, to the command or over HTTP.
 */
export const settingsFromSchema = z.strictObject({
  from: z.enum([
    'default',
    'user_file',
    'workspace_trusted',
    'workspace_untrusted',
    'workspace_ignored',
    'environment',
    'command_line',
    'request',
  ]),
  file: z.string().max(4096).optional().describe('As the person knows it.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe('Of the content that was trusted, all files of the workspace together.'),
  keys: z.array(z.string().max(200)).max(1000).describe('Of a named entry its path, such as `targets.ssh.build`.'),
});
export type SettingsFrom = z.infer<typeof settingsFromSchema>;
