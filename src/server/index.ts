export { createLog } from './log.ts';
export { LogFile } from './log-file.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
export { loadTokens } from './tokens.ts';
