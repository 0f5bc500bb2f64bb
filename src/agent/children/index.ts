export { CLOSED_BY_PARENT, childTools, failing } from './agent-port.ts';
export {
  type AboutChild,
  ChildAgents,
  type ChildAgentsOptions,
  type ChildInfo,
  type SpawnChild,
} from './child-agents.ts';
export { type ChildAgent, type ChildRequest, type InProcessAgentsOptions, inProcessAgents } from './in-process.ts';
export { openChild } from './open-child.ts';
export { type ChildHost, type ChildOrder, type ChildStarter, DiedEarly, type RunningChild } from './starter.ts';
