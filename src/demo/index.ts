export { SCENARIOS } from './scenarios.ts';
export { type ModelServer, startModelServer } from './server.ts';
