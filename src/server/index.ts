export { createLog } from './log.ts';
export { LogFile } from './log-file.ts';
export type { PageSource } from './page-files.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
