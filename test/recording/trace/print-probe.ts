import { probeStrace } from '../../../src/recording/trace/probe-strace.ts';

process.stdout.write(JSON.stringify(await probeStrace()));
