export { type ApprovalChoice, decideApproval, pendingApprovals } from './pending-approvals.ts';
export { answerQuestion, pendingQuestions } from './pending-questions.ts';
