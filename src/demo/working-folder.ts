import type { ModelRequest } from './model-request.ts';

/** How agents tell the model where it works: codex; claude, opencode and pi; gemini and qwen, new and old. */
const SENTENCES = [
  /<cwd>(\/[^<\n]*)<\/cwd>/,
  /working directory:\s*`?(\/[^\n`]*)/i,
  /Workspace Directories:\**\s*\n\s*-\s*(\/[^\n]*)/i,
  /working in the directory:\s*(\/[^\n]*)/i,
];

/** The folder the agent works in, for file tools that take absolute paths only; null when it does not say. */
export function workingFolder({ instructions, turns }: ModelRequest): string | null {
  const texts = [instructions, ...turns.filter(({ role }) => role === 'user').flatMap(({ texts }) => texts)];
  for (const text of texts) {
    for (const sentence of SENTENCES) {
      const folder = sentence.exec(text)?.[1]?.trim();
      if (folder) return folder.replace(/(?<=.)\/+$/, '');
    }
  }
  return null;
}
