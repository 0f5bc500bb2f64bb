// Starts a run and prints its conversation live. Requires a server: tacho start.
//
//   node examples/follow-conversation.mjs "hello"
//   node examples/follow-conversation.mjs "hello" --pace=0      further words go to the agent itself

import { withoutDoneMarker } from 'tachograph/client';
import { connect } from './connect.mjs';

const [prompt = 'hello', ...engine_args] = process.argv.slice(2);
const client = connect();
const { run_id } = await client.createRun({ engine: 'demo', prompt, engine_args });

// Ends with the run. A connection that breaks is made again, and nothing comes twice.
for await (const { type, data } of client.followConversation(run_id, { deltas: false })) {
  if (type === 'user.message') console.log(`› ${data.text}`);
  if (type === 'assistant.tool_call' && data.state !== 'started') console.log(`⚙ ${data.summary}  ${data.state}`);
  // The last message has a marker that tells tacho that the work is done. It is not for people.
  if (type === 'assistant.message.final') console.log(withoutDoneMarker(data.text));
}

const { status, completion, filesystem } = await client.result(run_id);
console.log(`${status} (${completion.reason_code}), ${filesystem.created} new in its folder`);
