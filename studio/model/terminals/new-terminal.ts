import type { NewTerminal } from '../../../src/client/index.ts';
import { parseArgv } from '../runs/argv.ts';

/** The form as entered. */
export interface TerminalForm {
  workspace: string;
  kind: 'pty' | 'shell';
  name: string;
  program: string;
  record: boolean;
}

type Mistake = 'notAbsolute' | 'unclosed';
export type TerminalMistakes = Partial<Record<keyof TerminalForm, Mistake>>;

/** The request of a form, or its mistakes. Some things only the server can check. */
export function terminalRequest(form: TerminalForm): { terminal: NewTerminal } | { mistakes: TerminalMistakes } {
  const { kind, record } = form;
  const workspace = form.workspace.trim();
  const name = form.name.trim();
  const { argv, open } = kind === 'pty' ? parseArgv(form.program) : { argv: [], open: null };
  const mistakes: TerminalMistakes = {
    ...(workspace.startsWith('/') ? {} : { workspace: 'notAbsolute' }),
    ...(open === null ? {} : { program: 'unclosed' }),
  };
  if (Object.keys(mistakes).length > 0) return { mistakes };
  return {
    terminal: {
      workspace,
      kind,
      record,
      ...(name === '' ? {} : { name }),
      ...(argv.length === 0 ? {} : { argv }),
    },
  };
}
