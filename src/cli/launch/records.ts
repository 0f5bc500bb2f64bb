// The commands about existing runs: one of the bundles that the launcher loads with their compiled code.

import { registerApprovals } from '../commands/approvals.ts';
import { registerCompleteRuns } from '../commands/completion.ts';
import { registerDiff } from '../commands/diff.ts';
import { registerLedger, registerReparse, registerVerify } from '../commands/proofs.ts';
import {
  registerEvents,
  registerExport,
  registerImport,
  registerRaw,
  registerReplay,
  registerResult,
  registerRuns,
  registerShow,
} from '../commands/records.ts';
import { registerCancel, registerReply } from '../commands/run.ts';
import { registerOpen, registerStatus, registerStop } from '../commands/server.ts';
import { registerPrune, registerRecover, registerRemove } from '../commands/upkeep.ts';
import { registerWatch } from '../commands/watch.ts';
import { type Register, runProgram } from '../program.ts';
import type { COMMANDS_OF } from './bundles.ts';

type Name = (typeof COMMANDS_OF)['records'][number];

const COMMANDS: Record<Name, Register> = {
  reply: registerReply,
  cancel: registerCancel,
  approvals: registerApprovals,
  runs: registerRuns,
  show: registerShow,
  result: registerResult,
  diff: registerDiff,
  events: registerEvents,
  raw: registerRaw,
  replay: registerReplay,
  export: registerExport,
  verify: registerVerify,
  ledger: registerLedger,
  reparse: registerReparse,
  import: registerImport,
  watch: registerWatch,
  recover: registerRecover,
  prune: registerPrune,
  rm: registerRemove,
  open: registerOpen,
  status: registerStatus,
  stop: registerStop,
  'complete-runs': registerCompleteRuns,
};

/** Registers only the called command: registering all takes milliseconds. */
export function runCommandLine(argv: readonly string[]): Promise<void> {
  return runProgram(argv, [COMMANDS[argv[0] as Name]]);
}
