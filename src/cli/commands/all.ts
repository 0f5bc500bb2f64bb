import type { Register } from '../program.ts';
import { registerAgent } from './agent.ts';
import { registerApprovals } from './approvals.ts';
import {
  registerCompleteRuns,
  registerCompleteSessions,
  registerCompleteSkills,
  registerCompletion,
} from './completion.ts';
import { registerConfig } from './config.ts';
import { registerDiff } from './diff.ts';
import { registerEngines } from './engines.ts';
import { registerPolicy } from './policy.ts';
import { registerLedger, registerReparse, registerVerify } from './proofs.ts';
import {
  registerEvents,
  registerExport,
  registerImport,
  registerRaw,
  registerReplay,
  registerResult,
  registerRuns,
  registerShow,
} from './records.ts';
import {
  registerAttach,
  registerCancel,
  registerDemo,
  registerReply,
  registerResume,
  registerRun,
  registerSupervise,
} from './run.ts';
import { registerMcp, registerRuntime } from './runtime.ts';
import { registerOpen, registerStatus, registerStop } from './server.ts';
import { registerDoctor, registerLogs, registerStart, registerTrust } from './service.ts';
import { registerSkills } from './skills.ts';
import { registerTerminal } from './terminal.ts';
import { registerIndex, registerPrune, registerRecover, registerRemove } from './upkeep.ts';
import { registerWatch } from './watch.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Register[] = [
  registerStart,
  registerStop,
  registerStatus,
  registerOpen,
  registerRun,
  registerResume,
  registerReply,
  registerAttach,
  registerCancel,
  registerApprovals,
  registerRuns,
  registerShow,
  registerResult,
  registerDiff,
  registerEvents,
  registerRaw,
  registerReplay,
  registerExport,
  registerVerify,
  registerLedger,
  registerReparse,
  registerImport,
  registerWatch,
  registerRecover,
  registerRemove,
  registerPrune,
  registerLogs,
  registerIndex,
  registerEngines,
  registerAgent,
  registerPolicy,
  registerSkills,
  registerDemo,
  registerDoctor,
  registerConfig,
  registerTrust,
  registerCompletion,
  registerTerminal,
  registerRuntime,
  registerMcp,
  registerSupervise,
  registerCompleteRuns,
  registerCompleteSessions,
  registerCompleteSkills,
];
