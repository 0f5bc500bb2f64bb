import path from 'node:path';
import { type CreateRun, TachoError } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import type { RunRequest } from '../request/run-request.ts';

/** What somebody asked for over the wire, as a request to run it. */
export function requestOf(input: CreateRun, context: RunContext): RunRequest {
  const { terminal, recording } = context.config;
  if (input.cwd !== undefined && !path.isAbsolute(input.cwd)) {
    throw new TachoError('INVALID_REQUEST', `cwd must be an absolute path, not ${input.cwd}`, {
      facts: { field: 'cwd' },
    });
  }
  return {
    engine: input.engine ?? 'text',
    command: input.command ?? [input.engine!],
    agent:
      input.engine === undefined
        ? null
        : {
            prompt: input.prompt!,
            mode: input.mode,
            model: input.model ?? null,
            baseUrl: input.base_url?.replace(/\/+$/, '') ?? null,
            engineArguments: input.engine_args,
            requireMarker: input.require_marker,
            format: input.format ?? null,
            authFromHome: false,
            parse: true,
            session: null,
            interactionId: null,
          },
    announced: true,
    limits: input.limits,
    conversation: input.engine !== undefined,
    cwd: input.cwd ?? null,
    ...(input.files ? { files: input.files } : {}),
    runSelector: null,
    env: input.env,
    passEnv: input.pass_env,
    capture: input.capture ?? recording.capture,
    captureReason: input.capture ? 'asked for' : 'configuration',
    keepTrace: false,
    cols: input.cols ?? terminal.cols,
    rows: input.rows ?? terminal.rows,
    interactive: false,
    exclusive: true,
  };
}
