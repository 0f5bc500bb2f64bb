import * as z from 'zod';
import { text } from '../run/run-limits.ts';
import { variableName } from './parts.ts';

/** What a session may see and use. */

export const environmentPolicySchema = z.strictObject({
  inherit: z
    .enum(['none', 'core', 'all'])
    .default('core')
    .describe('Which variables to inherit from the runtime’s environment.'),
  include: z.array(variableName).max(256).default([]).describe('Additional names to inherit.'),
  exclude: z.array(variableName).max(256).default([]).describe('Names that are not taken, whatever else says so.'),
  set: z.record(variableName, text(131_071)).default({}).describe('Never shown again: info and lists hold names only.'),
});
export type EnvironmentPolicy = z.infer<typeof environmentPolicySchema>;

export const sessionLimitsSchema = z.strictObject({
  memory_bytes: z.int().min(1).optional().describe('All processes of the session together, with their page cache.'),
  processes: z.int().min(1).optional().describe('Processes and threads of the session at one time.'),
  cpu_percent: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe('Share of the processors, all processes together; 100 is one processor, 150 one and a half.'),
  cpu_seconds: z.int().min(1).max(1_000_000_000).optional().describe('Of each process; it gets SIGXCPU.'),
  open_files: z.int().min(1).max(2_147_483_647).optional().describe('Descriptors of each process.'),
  file_bytes: z.int().min(1).optional().describe('Maximum size of a written file; writing more raises SIGXFSZ.'),
  nice: z.int().min(0).max(19).optional().describe('How far others go first.'),
});
export type SessionLimits = z.infer<typeof sessionLimitsSchema>;

export const exceededLimitSchema = z.enum(['memory', 'processes', 'cpu', 'file_size']);
export type ExceededLimit = z.infer<typeof exceededLimitSchema>;

const absolutePath = text(4096).regex(/^\//, 'an absolute path');
const paths = z.array(absolutePath).max(256).default([]);
/** A restricted view of the machine. The most specific path decides. */
export const sandboxRequestSchema = z
  .strictObject({
    profile: z
      .enum(['dev', 'balanced', 'prod'])
      .optional()
      .describe('The view and the limits of a sandbox profile, as for the commands of an agent.'),
    network: z.enum(['off', 'on']).default('off'),
    workspace: z.enum(['write', 'read']).default('write'),
    read: paths.describe('Readable in addition to the system’s programs.'),
    write: paths.describe('Readable and writable in addition to the workspace.'),
    hide: paths.describe('Not visible, although a folder above it is.'),
    fixed: paths.describe('Read-only, although a folder above it is writable.'),
    home: absolutePath.optional().describe('With a profile: the home of the user; that of the runtime when not given.'),
    path: text(131_071)
      .optional()
      .describe('With a profile: PATH of a program that is given none. Folders that are not visible are left out.'),
  })
  .refine(
    ({ profile, workspace }) => profile === undefined || workspace === 'write',
    'in a profile the workspace is writable',
  )
  .refine(
    ({ profile, home, path }) => profile !== undefined || (home ?? path) === undefined,
    'home and path belong to a profile',
  );
export type SandboxRequest = z.infer<typeof sandboxRequestSchema>;
