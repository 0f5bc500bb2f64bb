import { describe, expect, it } from 'vitest';
import { withTimes } from '../../../src/cli/records/recorded-chat.ts';
import { type ChatStage, createChatFilm } from '../../../src/cli/replay/chat-film.ts';
import type { FcmpMessage } from '../../../src/protocol/index.ts';
import { ConversationBuilder } from '../chat/conversation-builder.ts';
import { ended } from '../chat/draw.ts';

async function* inTurn(messages: readonly FcmpMessage[]) {
  yield* messages;
}

/** A conversation of two attempts, an hour apart. */
function conversation(): FcmpMessage[] {
  const talk = new ConversationBuilder();
  talk.user('Do it').state('running');
  talk.at = 1000;
  talk.final('a', 'First answer');
  talk.at = 9000;
  talk.final('b', 'Second answer');
  talk.attempt = 2;
  talk.at = 3_600_000;
  talk.user('Go on');
  return talk.messages;
}

function stageOf({ rewrites }: { rewrites: boolean }) {
  const written: string[] = [];
  const stage: ChatStage = {
    columns: 80,
    rewrites,
    colors: false,
    write: async (text) => void written.push(text),
    redraw: async (text) => void written.push(`REDRAW\n${text}`),
    status: async (line) => void written.push(line),
    close: async () => {},
  };
  return { stage, text: () => written.splice(0).join('') };
}

function filmOf({ rewrites = true, idleMs = Number.POSITIVE_INFINITY } = {}) {
  const { stage, text } = stageOf({ rewrites });
  const open = () => withTimes(inTurn(conversation()), idleMs);
  return { film: createChatFilm({ open, stage, summary: ended() }), text };
}

async function timesOf(idleMs?: number): Promise<number[]> {
  const { film } = filmOf(idleMs === undefined ? {} : { idleMs });
  const times: number[] = [];
  for (let next = await film.peek(); next !== null; next = await film.peek()) {
    times.push(next);
    await film.show();
  }
  return times;
}

describe('a played conversation', () => {
  it('has the times of its messages, without the wait for a reply between two attempts', async () => {
    expect(await timesOf()).toEqual([0, 0, 1000, 9000, 11_000]);
  });

  it('has no gap above the requested maximum', async () => {
    expect(await timesOf(500)).toEqual([0, 0, 500, 1000, 1500]);
  });

  it('shows one message after the other, and how the run ended', async () => {
    const { film, text } = filmOf({ rewrites: false });
    await film.show();
    expect(text()).toBe('› Do it\n');
    while ((await film.peek()) !== null) await film.show();
    expect(text()).toContain('First answer');
    await film.finish();
    expect(text()).toContain('✔ succeeded');
  });

  it('redraws all messages up to a given time', async () => {
    const { film, text } = filmOf();
    while ((await film.peek()) !== null) await film.show();
    text();
    await film.seek(5000);
    expect(text()).toBe('REDRAW\n› Do it\n\nFirst answer\n');
    expect(await film.peek()).toBe(9000);
    await film.seek(10_000);
    expect(text()).toContain('Second answer');
    await film.seek(0);
    expect(text()).not.toContain('First');
  });

  it('starts in the middle without redrawing', async () => {
    const { film, text } = filmOf({ rewrites: false });
    await film.seek(1000);
    expect(text()).toBe('› Do it\n\nFirst answer\n');
  });

  it('shows the original elapsed time between two messages', async () => {
    const { film, text } = filmOf();
    await film.seek(0);
    text();
    await film.tick(3000);
    expect(text()).toMatch(/codex is working {2}3 s/);
    await film.close();
    expect(text()).toMatch(/^\r.*\u001b\[J$/);
  });
});
