import { runEngine } from '../../agent/engine/run-engine.ts';
import { workspaceRuntime } from '../../runtime/port/index.ts';

// The program of the engine `agent`. Connections that are still open must not keep it alive when its run is over.
process.exit(await runEngine(process.argv.slice(2), { runtime: workspaceRuntime }));
