// Prints every change of every run, until Ctrl-C. Needs a server: tacho start.
//
//   node examples/watch-runs.mjs

import { connect } from './connect.mjs';

const client = connect();

// Changes are not kept for those who were away, so each connection begins with a look at the list.
async function printOpenRuns() {
  for await (const run of client.eachRun()) if (!hasEnded(run)) print(run);
}

for await (const { run, removed } of client.followRuns({ onOpened: printOpenRuns })) {
  if (run) print(run);
  else console.log(`${removed}  removed`);
}

function print({ run_id, status, attempt, queue_position, question }) {
  const waits = queue_position === null ? '' : `, number ${queue_position} in the queue`;
  const asks = question === null ? '' : `: ${question.prompt}`;
  console.log(`${run_id}  ${status}${waits}${asks}  (attempt ${attempt})`);
}

function hasEnded({ status }) {
  return ['succeeded', 'failed', 'canceled'].includes(status);
}
