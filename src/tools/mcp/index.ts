export { type KnownTools, knownToolsIn, type SpecDigests } from './known-tools.ts';
export { type McpServerOptions, mcpServer } from './mcp-server.ts';
