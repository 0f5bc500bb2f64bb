export type { Approver } from './approvers/approver.ts';
export { callbackApprover, folderApprover, laterApprover, policyOnlyApprover } from './approvers/simple-approvers.ts';
export { terminalApprover } from './approvers/terminal-approver.ts';
export { terminalAsker } from './approvers/terminal-asker.ts';
export { ApprovalFolder } from './decisions/approval-folder.ts';
export { QuestionFolder } from './decisions/question-folder.ts';
export { createPolicy, type Policy, type PolicyOptions } from './policy/create-policy.ts';
export { isWithin } from './policy/suggest-rule.ts';
