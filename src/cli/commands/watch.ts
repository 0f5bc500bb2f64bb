import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface WatchCommandOptions extends CommonOptions {
  since?: string;
  once?: boolean;
  idle?: string;
}

const EXAMPLES = `
Examples:
  tacho watch                       all engines, until Ctrl-C
  tacho watch codex
  tacho watch claude --since 7d     also the sessions of the last week
  tacho watch --once                read all existing sessions and exit
  tacho watch --once --since 2026-11-01 --json

Watched runs are marked, because tacho did not record the engine itself: their seals
prove that what tacho read was not changed since, not that it is what happened.`;

export function registerWatch(program: Command): void {
  const command = program
    .command('watch')
    .summary('follow sessions of engines that run outside of tacho')
    .description(
      'Follows the session files that codex, claude and others keep when you use them outside of tacho, and shows each session as a run: its conversation, usage and tool calls can be searched like those of other runs. The folders of the engines are never written to. Ctrl-C seals what was read; the next watch continues there.',
    )
    .argument('[engines...]', 'codex, claude or pi (default: all)')
    .option('--since <time>', 'also read sessions written since then: a duration such as 7d, or a date')
    .option('--once', 'read existing sessions (default: all of them) and exit')
    .option('--idle <duration>', 'seal a session after it was idle this long (default: 5m)')
    .addHelpText('after', EXAMPLES)
    .action(async (engines: string[], options: WatchCommandOptions) => {
      const { watchEngines } = await import('../watch/watch.ts');
      await watchEngines(engines, options);
    });
  withCommonOptions(command);
}
