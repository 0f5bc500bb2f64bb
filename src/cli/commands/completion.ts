import type { Command } from 'commander';

const EXAMPLES = `
Examples:
  source <(tacho completion bash)        in ~/.bashrc
  source <(tacho completion zsh)         in ~/.zshrc, after compinit
  tacho completion fish | source         in ~/.config/fish/config.fish`;

export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .summary('print a script that completes tacho in a shell')
    .description(
      'Prints a script for a shell that completes commands, options, engines, runs, terminal sessions and skills.',
    )
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', EXAMPLES)
    .action(async (shell: string) => {
      const { printScript } = await import('../completion/print-script.ts');
      printScript(shell, program);
    });
}

/** Called by the completion scripts. Prints nothing on errors, because a message would appear in the user's prompt. */
export function registerCompleteRuns(program: Command): void {
  registerCandidates(program, 'complete-runs', async () => {
    const { runCandidates } = await import('../completion/run-candidates.ts');
    return runCandidates(process.env);
  });
}

export function registerCompleteSessions(program: Command): void {
  registerCandidates(program, 'complete-sessions', async () => {
    const { sessionCandidates } = await import('../terminal/session-candidates.ts');
    return sessionCandidates();
  });
}

export function registerCompleteSkills(program: Command): void {
  registerCandidates(program, 'complete-skills', async () => {
    const { skillCandidates } = await import('../skills/skill-candidates.ts');
    return skillCandidates(process.env);
  });
}

function registerCandidates(program: Command, name: string, list: () => Promise<string[]>): void {
  program
    .command(name, { hidden: true })
    .summary('print candidates for shell completion')
    .description('Prints candidates for shell completion, a value, a tab and a description a line.')
    .action(async () => {
      const lines = await list().catch(() => []);
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    });
}
