export type { Approver } from './approvers/approver.ts';
export {
  createPolicy,
  type JudgedCall,
  type Policy,
  type PolicyDefaults,
  type PolicyOptions,
} from './policy/create-policy.ts';
export { isWithin } from './policy/suggest-rule.ts';
export { loadShellGrammar } from './shell/grammar.ts';
