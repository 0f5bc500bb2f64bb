import fs from 'node:fs';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { skillsServer } from '../../support/skills-mcp.ts';

/** `serve-skills <folder> <pid file>`: serves the skills of a folder to the process that started it. */
const [folder = '', pidFile = ''] = process.argv.slice(2);
fs.writeFileSync(pidFile, String(process.pid));
serveStdio(() => skillsServer(folder));
