/**
 * Variables that hold keys for model services, as engines know them. A trusted `.env` may set those that the profile of an engine takes.
 * Neither loader variables nor addresses of services belong here: a file that comes with a folder must not choose what runs or who is asked.
 */
export const MODEL_KEYS: ReadonlySet<string> = new Set([
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_OAUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CODEX_API_KEY',
  'DASHSCOPE_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'IFLOW_API_KEY',
  'OPENAI_API_KEY',
  'OPENCODE_API_KEY',
  'OPENROUTER_API_KEY',
  'TACHO_MODEL_KEY',
]);
