/** For tests of agents: a scripted model, recorded tools, a clock that stands still. `tachograph/agent/testkit`. */
export * from './agent/testkit/index.ts';
