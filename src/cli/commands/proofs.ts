import type { Command } from 'commander';
import { TachoError } from '../../protocol/error-code.ts';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface VerifyOptions extends CommonOptions {
  key?: string;
  since?: string;
  deep?: boolean;
}

export function registerVerify(program: Command): void {
  const command = program
    .command('verify')
    .summary('check that a record was not changed')
    .description(
      'Recomputes every hash of a run and checks its signatures. Reports the place that does not match. With --since, checks all runs against a ledger head that was kept elsewhere.',
    )
    .argument('[run]', 'run id, handle, its beginning, last, last~1 or a path (default: last)')
    .option('--key <id>', 'require every seal to be signed with this key')
    .option(
      '--since <head>',
      'check that no sealed run was changed, replaced or removed since `tacho ledger head` printed this line',
    )
    .option('--deep', 'with --since: also recompute every hash of every run')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho verify\n  tacho verify /mnt/archive/20261115T083000-text-3f2a9c1b --json\n\nExits with 0 if the record is intact, with 1 if it was changed or is incomplete.',
    )
    .action(async (selector: string | undefined, options: VerifyOptions) => {
      if (options.since !== undefined) {
        if (selector !== undefined) {
          throw new TachoError('USAGE', 'verify --since checks all runs and does not accept a run', {
            fix: 'Leave out the run, or leave out --since.',
          });
        }
        const { checkAllSince } = await import('../records/ledger.ts');
        process.exitCode = await checkAllSince(options.since, options);
        return;
      }
      const { verifyCommand } = await import('../records/verify.ts');
      process.exitCode = await verifyCommand(selector ?? 'last', options);
    });
  withCommonOptions(command);
}

export interface LedgerProofOptions extends CommonOptions {
  since?: string;
}

export function registerLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .summary('print the ledger head and proofs from the ledger')
    .description(
      'Every seal is entered into a ledger, and one short line commits to all of them. Keep that line out of reach of anyone who can change the runs, for example in a CI log, a commit or a ticket.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  tacho ledger head\n  tacho ledger proof last\n  tacho verify --since "$(cat head.txt)"\n  tacho verify --since "$(cat head.txt)" --deep',
    );
  const head = ledger
    .command('head')
    .summary('print one line that commits to all seals so far')
    .description('Prints size, root hash, key and signature of the ledger in one line.')
    .action(async (_: unknown, command: Command) => {
      const { ledgerHead } = await import('../records/ledger.ts');
      await ledgerHead(command.optsWithGlobals());
    });
  withCommonOptions(head);
  const proof = ledger
    .command('proof')
    .summary('prove that the ledger lists the seals of a run')
    .description(
      'Prints, as JSON, the proof that connects the seals of a run to a signed ledger head. tacho export --format zip includes the same proof; tacho verify and the Studio check it.',
    )
    .argument('<run>', 'run id, handle, its beginning, last or last~1')
    .option('--since <head>', 'also prove that the ledger only grew since this head')
    .action(async (selector: string, _: unknown, command: Command) => {
      const { printLedgerProof } = await import('../records/ledger.ts');
      await printLedgerProof(selector, command.optsWithGlobals());
    });
  withCommonOptions(proof);
}

const REPARSE_EXAMPLES = `
Examples:
  tacho reparse last
  tacho reparse 3f2a9c1b --json

Exits with 0 if the bytes give exactly the recorded events, with 1 if they do not.`;

export function registerReparse(program: Command): void {
  const command = program
    .command('reparse')
    .summary('read a run’s bytes again and compare the events')
    .description(
      'Reads the recorded bytes again with today’s parser and compares the events with the recorded ones. Changes nothing.',
    )
    .argument('[run]', 'run id, handle, its beginning, last, last~1 or a path', 'last')
    .addHelpText('after', REPARSE_EXAMPLES)
    .action(async (selector: string, options: CommonOptions) => {
      const { reparseRun } = await import('../records/reparse.ts');
      process.exitCode = await reparseRun(selector, options);
    });
  withCommonOptions(command);
}
