// Carries out a run whose call never ends: hanging-run <workspace> <command of the server as JSON>

import { Agent } from '../../../../src/agent/agent.ts';
import { call } from '../../../../src/agent/models/script.ts';
import { scriptedModel } from '../../../../src/agent/models/scripted-model.ts';
import { mcpServer } from '../../../../src/tools/mcp/index.ts';
import { allowAll } from '../allow-all.ts';

const [workspaceRoot, command] = process.argv.slice(2);
const agent = new Agent({
  workspaceRoot: workspaceRoot!,
  sandbox: { profile: 'none' },
  policy: allowAll,
  tools: [],
  toolSources: [mcpServer({ name: 'small', command: JSON.parse(command!) })],
  model: scriptedModel([call('mcp__small__act', { do: 'hang' })]),
});
await agent.run('Do it', { runId: 'run-killed' }).result;
