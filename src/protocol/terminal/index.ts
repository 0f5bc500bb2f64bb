export * from './agents.ts';
export type { CommandOutput, CommandResult, ExecOutput, RunCommand } from './command.ts';
export { commandResultSchema, execOutputSchema, signalledSchema, stdinDataSchema } from './command.ts';
export * from './json-rpc.ts';
export * from './methods.ts';
export { type Encoding, encodingSchema } from './parts.ts';
export * from './session.ts';
export * from './session-policy.ts';
