export { RuntimeClient } from './client/runtime-client.ts';
export { type AnnouncedDaemon, announceDaemon, findDaemon, listDaemons, workspaceId } from './daemon/announcement.ts';
export { connectOrStart, type EnsureOptions, ensureServer, findServer } from './daemon/ensure-server.ts';
export { runDaemon } from './daemon/run-daemon.ts';
export { locateRuntime } from './daemon/runtime-folder.ts';
export { bridgeStreams, serveStreams } from './transports/stdio.ts';
