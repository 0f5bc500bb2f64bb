// Lets an agent ask, and answers. Needs a server: tacho start.
//
//   node examples/answer-question.mjs "All there is"
//   node examples/answer-question.mjs "All there is" --pace=0   further words go to the agent itself

import { withoutDoneMarker } from 'tachograph/client';
import { connect } from './connect.mjs';

const [answer = 'All there is', ...engine_args] = process.argv.slice(2);
const client = connect();
const { run_id } = await client.createRun({ engine: 'demo', prompt: 'hello', mode: 'interactive', engine_args });

// One stream covers all attempts; the run ends when the agent has no more questions.
for await (const { type, data } of client.followConversation(run_id, { deltas: false })) {
  if (type !== 'user.input.required') continue;
  console.log(`? ${data.prompt}`);
  console.log(`› ${answer}`);
  // With a key the same answer can be sent again, after a lost connection for example, and counts once.
  const { interaction_id } = data;
  await client.reply(run_id, { interaction_id, text: answer, idempotency_key: `${run_id} ${interaction_id}` });
}

const { status, attempt, message } = await client.result(run_id);
// Without the marker that tells tacho that the work is done.
console.log(withoutDoneMarker(message));
console.log(`${status} in attempt ${attempt}`);
