import { TachoError } from '../../protocol/index.ts';

/** Linux limits a single argument to 32 pages, including its terminator. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/**
 * Rejects a prompt that cannot be passed to an engine, before anything starts. `beside` counts other bytes in the same
 * argument, such as `--prompt=`.
 */
export function checkPrompt(prompt: string, beside = 0): void {
  if (prompt.trim() === '') {
    throw new TachoError('PROMPT_INVALID', 'the prompt is empty', {
      fix: 'Say what to do: tacho run codex "fix the failing test"',
    });
  }
  const nul = prompt.indexOf('\0');
  if (nul >= 0) {
    throw new TachoError('PROMPT_INVALID', `the prompt holds a NUL character (at ${nul}), which no argument can hold`, {
      facts: { position: nul },
      fix: 'Take it out of the text.',
    });
  }
  const bytes = Buffer.byteLength(prompt);
  const limit = MAX_ARGUMENT_BYTES - beside;
  if (bytes <= limit) return;
  throw new TachoError('PROMPT_TOO_LONG', `the prompt has ${bytes} bytes; an argument can hold ${limit}`, {
    facts: { bytes, limit },
    fix: 'Put the text into a file in the workspace (--cwd) and name the file in a short prompt.',
  });
}
