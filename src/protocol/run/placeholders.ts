/** What `{name}` can stand for in the arguments, variables and files of an engine. */
export const PLACEHOLDERS = [
  'prompt',
  'session',
  'model',
  'base_url',
  'format',
  'mode',
  'approvals',
  'workspace',
  'data',
  'home',
  'skills',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The word that stands for the arguments of the definition and of `--engine-arg`. */
export const ENGINE_ARGUMENTS = '{engine_args}';
