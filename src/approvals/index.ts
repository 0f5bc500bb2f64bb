export type { Approver } from './approvers/approver.ts';
export {
  type CallbackAnswer,
  callbackApprover,
  folderApprover,
  folderAsker,
  laterApprover,
  policyOnlyApprover,
} from './approvers/simple-approvers.ts';
export type { TerminalStreams } from './approvers/terminal.ts';
export { terminalApprover } from './approvers/terminal-approver.ts';
export { terminalAsker } from './approvers/terminal-asker.ts';
export { type ApprovalEntry, ApprovalFolder } from './decisions/approval-folder.ts';
export { type QuestionEntry, QuestionFolder } from './decisions/question-folder.ts';
export {
  createPolicy,
  type JudgedCall,
  type Policy,
  type PolicyDefaults,
  type PolicyOptions,
} from './policy/create-policy.ts';
export { isWithin } from './policy/suggest-rule.ts';
export { loadShellGrammar } from './shell/grammar.ts';
