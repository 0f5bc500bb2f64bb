import * as z from 'zod';
import { captureModeSchema, recordingLevelSchema } from '../protocol/capture.ts';
import { MAX_BLOB_BYTES } from '../protocol/file-names.ts';
import { choice, duration, durationOrNull, integer, list, named, size, text } from './field.ts';
import { definedEnginesSchema } from './sections/engines.ts';
import { llmSchema } from './sections/llm.ts';
import { mcpSchema } from './sections/mcp.ts';
import { modelsSchema } from './sections/models.ts';
import { promptSchema } from './sections/prompt.ts';
import { runtimeSchema } from './sections/runtime.ts';
import { safetySchema } from './sections/safety.ts';
import { sandboxSchema } from './sections/sandbox.ts';
import { skillsSchema } from './sections/skills.ts';
import { containerTargetsSchema, sshTargetsSchema } from './sections/targets.ts';
import { toolsSchema } from './sections/tools.ts';

const MEBIBYTE = 2 ** 20;
const GIBIBYTE = 2 ** 30;
const HOUR = 3_600_000;
/** A Node timer of more than 2^31 - 1 ms fires at once; 24 days is the last whole day below that. */
const MAX_TIMER_MS = 24 * 24 * HOUR;

const variableNames = { item: /^[^=\0]+$/, of: 'variable names; * matches any characters' };

/** Every key of the configuration. Wire names, so snake_case; `explain` and the docs print the descriptions. */
export const configSchema = z.strictObject({
  recording: z.strictObject({
    level: choice(recordingLevelSchema.options, 'How much of an attempt is kept.'),
    capture: choice(
      captureModeSchema.options,
      'How output is captured: two terminals, two terminals under strace, or one terminal for both streams.',
    ),
    ignore: list('Names or paths left out of snapshots of the workspace.', {
      item: /^[^\0]+$/,
      of: 'names or paths',
    }),
    gitignore: choice(
      ['apply', 'skip'],
      'Whether snapshots leave out what .gitignore files and .git/info/exclude ignore, as they are before the start.',
    ),
    snapshot_entries: integer('Maximum number of paths in the snapshot before the start; twice as many afterwards.', {
      min: 1,
      max: 10_000_000,
    }),
    snapshot_ms: duration(
      'Maximum time the snapshot before the start takes, half of it for hashing; twice as long afterwards.',
      {
        min: 1,
        max: HOUR,
      },
    ),
    blob_max_bytes: size('Maximum size of a changed file whose content is kept, so that `tacho diff` can show it.', {
      min: 0,
      max: MAX_BLOB_BYTES,
    }),
    checkpoint_bytes: size('A checkpoint of the raw streams enters the hash chain each time this much was recorded.', {
      min: 1,
      max: GIBIBYTE,
    }),
    checkpoint_ms: duration('A checkpoint enters the hash chain at least this often while output arrives.', {
      min: 1,
      max: HOUR,
    }),
  }),
  journal: z.strictObject({
    fsync: choice(
      ['each', 'interval', 'off'],
      'When the event log is forced to disk: at each event, at intervals, never.',
    ),
    fsync_interval_ms: duration('How long an event may wait to be forced to disk when journal.fsync is interval.', {
      min: 1,
      max: HOUR,
    }),
  }),
  terminal: z.strictObject({
    // The kernel stores both in 16 bits.
    cols: integer('Width of the terminal a run gets, in columns.', { min: 1, max: 65_535 }),
    rows: integer('Height of the terminal a run gets, in rows.', { min: 1, max: 65_535 }),
    term: text('Value of TERM inside the run.', {
      pattern: /^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/,
      accepts: 'the name of a terminal type, such as xterm-256color',
    }),
  }),
  limits: z.strictObject({
    timeout_ms: durationOrNull('A run is ended after this long; null means no limit.', { min: 1, max: MAX_TIMER_MS }),
    no_progress_timeout_ms: durationOrNull('A run that prints nothing for this long is ended; null means no limit.', {
      min: 1,
      max: MAX_TIMER_MS,
    }),
    kill_grace_ms: duration('Time between SIGTERM and SIGKILL when a run is ended.', { min: 0, max: HOUR }),
    linger_ms: duration('How long background processes of a run may keep running after its command has exited.', {
      min: 0,
      max: HOUR,
    }),
    disk_floor_bytes: size('No run starts with less free disk space than this.', { min: 0, max: MEBIBYTE * MEBIBYTE }),
  }),
  engines: z.strictObject({
    folder: text('Where engines that tacho installs are kept; when empty, the folder engines of the data folder.', {
      pattern: /^[^\0]*$/,
      accepts: 'the path of a folder, or nothing',
    }),
    no_progress_timeout_ms: durationOrNull(
      'An engine that makes no progress for this long is ended, unless limits.no_progress_timeout_ms says otherwise; null means no limit.',
      { min: 1, max: MAX_TIMER_MS },
    ),
    defined: named(definedEnginesSchema, 'Engines of your own, by their names.', {
      of: '{extends, folder, title, command, args, start, resume, model, base_url, environment, sign_in, terminal_by, signals}',
    }),
  }),
  service: z.strictObject({
    host: text('Address the server listens on.', {
      pattern: /^[A-Za-z0-9.:_-]+$/,
      accepts: 'a host name or an address',
    }),
    port: integer('Port the server listens on; 0 is any free one.', { min: 0, max: 65_535 }),
    slots: integer('Maximum number of concurrent runs; 0 means one for each processor, at least two.', {
      min: 0,
      max: 65_535,
    }),
    public_url: text('Address by which browsers reach the server behind a reverse proxy.', {
      pattern:
        /^$|^https?:\/\/(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*\/?$/,
      accepts: 'https://, a host name, and optionally a port and a path; or nothing',
    }),
    allowed_hosts: list('Further names of the server in the Host header; requests with other names are rejected.', {
      item: /^(?:[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:.]+\]?)$/,
      of: 'host names or addresses, without a port',
    }),
    queue_limit: integer('Maximum number of waiting runs; further ones are rejected.', { min: 1, max: 1_000_000 }),
  }),
  runtime: runtimeSchema,
  skills: skillsSchema,
  llm: llmSchema,
  models: modelsSchema,
  prompt: promptSchema,
  tools: toolsSchema,
  safety: safetySchema,
  sandbox: sandboxSchema,
  mcp: mcpSchema,
  targets: z.strictObject({
    ssh: named(sshTargetsSchema, 'Machines that sessions can run on, reached by ssh.', {
      of: '{host, port, user, host_key, key_file, program, workspace, grace_ms}',
    }),
    container: named(containerTargetsSchema, 'Containers of Docker or Podman that sessions can run in.', {
      of: '{socket, container, user, program, workspace, grace_ms}',
    }),
    single_file: text(
      'The executable that is copied to a target without tacho; when empty, this program itself or what npm run build:single made.',
      { pattern: /^[^\0]*$/, accepts: 'the path of a file, or nothing' },
    ),
  }),
  environment: z.strictObject({
    inherit: list('Variables that an isolated run takes over from the environment of the caller.', variableNames),
    pass: list('Further variables that an isolated run takes over from the environment of the caller.', variableNames),
    secret_names: list('Values of variables with such names are masked in events.', variableNames),
  }),
});

export type Config = Immutable<z.output<typeof configSchema>>;

/** Part of a configuration as a user writes it: `{ limits: { timeout_ms: '30s' } }`. */
export type ConfigSettings = {
  [Section in keyof ConfigInput]?: { [Key in keyof ConfigInput[Section]]?: ConfigInput[Section][Key] | undefined };
};

type ConfigInput = Immutable<z.input<typeof configSchema>>;
type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;
