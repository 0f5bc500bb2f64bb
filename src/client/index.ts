/** People read messages without the done marker, which engines print for tacho. */
export { withoutDoneMarker } from '../conversation/index.ts';
export type {
  AgentAnswer,
  AgentFork,
  AgentPrompt,
  AgentReplay,
  CommandResult,
  EngineFacts,
  Health,
  LinesAnswer,
  RunChange,
  RunPage,
  RunResult,
  SearchAnswer,
  TerminalFrame,
  TerminalsAnswer,
  TerminalView,
} from '../protocol/index.ts';
export type { Page, SinceAnswer, TimingAnswer, VerificationAnswer } from './answers.ts';
export type { Client } from './client.ts';
export { type ClientOptions, createClient } from './create-client.ts';
export type { FollowOptions } from './follow.ts';
export type { FollowRunsOptions } from './follow-runs.ts';
export type { RawPart } from './read-raw.ts';
export type { ReconnectOptions, Retry, StreamTiming } from './reconnect.ts';
export type * from './requests.ts';
export type { SkillAnswer, SkillsAnswer } from './skill-answers.ts';
export type { NewTerminal, TerminalCommand, TerminalsClient } from './terminals-client.ts';
export type { RequestOptions } from './transport.ts';
