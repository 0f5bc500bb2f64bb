import { createHash } from 'node:crypto';
import type { SettledRequest, ShownRequest } from '../../protocol/index.ts';

/** Length of a prompt in lists. */
const SHOWN_PROMPT = 200;

/** A request for events and records: `hideSecrets` blanks the values of secrets in its texts. */
export function shownRequest(request: SettledRequest, hideSecrets: (text: string) => string): ShownRequest {
  const {
    pass_env: _names,
    inherit_env: _inherit,
    settings: _settings,
    definition: _definition,
    env,
    files,
    ...shown
  } = request;
  const { prompt, command, model, base_url, auto_reply, input, parameters, skipped_skills: skipped } = request;
  return {
    ...shown,
    ...(prompt === undefined ? {} : { prompt: hideSecrets(prompt) }),
    ...(input === undefined ? {} : { input: hideInJson(input, hideSecrets) }),
    ...(parameters === undefined ? {} : { parameters: hideInJson(parameters, hideSecrets) as typeof parameters }),
    ...(skipped === undefined
      ? {}
      : { skipped_skills: skipped.map((one) => ({ ...one, message: hideSecrets(one.message) })) }),
    ...(command === undefined ? {} : { command: command.map(hideSecrets) }),
    ...(model === undefined ? {} : { model: hideSecrets(model) }),
    ...(base_url === undefined ? {} : { base_url: hideSecrets(base_url) }),
    ...(auto_reply === undefined ? {} : { auto_reply: { ...auto_reply, text: hideSecrets(auto_reply.text) } }),
    engine_args: shown.engine_args.map(hideSecrets),
    env: Object.keys(env).sort(),
    ...(files === undefined ? {} : { files: files.map(({ path, text }) => ({ path, ...digest(text) })) }),
  };
}

/** The same, shortened for a record that is rewritten on every change. The events contain the full request. */
export function briefRequest({ input, parameters, ...shown }: ShownRequest): ShownRequest {
  return {
    ...shown,
    ...(shown.prompt === undefined ? {} : { prompt: briefPrompt(shown.prompt) }),
    ...(isBrief(input) ? { input } : {}),
    ...(isBrief(parameters) ? { parameters } : {}),
  };
}

function isBrief(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).length <= SHOWN_PROMPT;
}

/** Secrets in the texts of a JSON value; its keys are those of a schema. */
function hideInJson(value: unknown, hideSecrets: (text: string) => string): unknown {
  if (typeof value === 'string') return hideSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => hideInJson(inner, hideSecrets));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hideInJson(inner, hideSecrets)]));
}

export function briefPrompt(prompt: string): string {
  return prompt.slice(0, SHOWN_PROMPT);
}

function digest(text: string): { bytes: number; sha256: string } {
  const bytes = Buffer.from(text);
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
