import fs from 'node:fs';
import path from 'node:path';
import { createConversation } from '../../conversation/index.ts';
import type { Journal } from '../../journal/index.ts';
import { CONVERSATION_FILE, type FcmpMessage, type RaspEvent } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';

/**
 * `conversation.jsonl`: the conversation on disk, appended after the events it is folded from. It is derived, so a
 * failure to write it fails no run, and what a crash left out is folded again from the events when it is opened.
 */
export class ConversationFile {
  readonly #file: string;
  readonly #fold: ReturnType<typeof createConversation>;
  /** Messages of the fold that the file holds already. */
  #skip: number;
  #failed = false;

  private constructor(folder: RunFolder) {
    this.#file = path.join(folder.audit, CONVERSATION_FILE);
    this.#fold = createConversation({ run_id: folder.runId });
    this.#skip = this.#tryTo(() => repairTail(this.#file)) ?? 0;
  }

  /** Opens the file of a run whose journal this process writes, and brings it up to the journal's last event. */
  static async open(folder: RunFolder, journal: Journal): Promise<ConversationFile> {
    const conversation = new ConversationFile(folder);
    for await (const batch of journal.read(folder.runId)) conversation.append(batch);
    conversation.#dropSurplus();
    return conversation;
  }

  append(events: readonly RaspEvent[]): FcmpMessage[] {
    const messages = events.flatMap((event) => this.#fold.push(event));
    const known = Math.min(this.#skip, messages.length);
    this.#skip -= known;
    const fresh = messages.slice(known);
    if (fresh.length > 0) {
      const lines = fresh.map((message) => `${JSON.stringify(message)}\n`).join('');
      this.#tryTo(() => fs.appendFileSync(this.#file, lines, { mode: 0o600 }));
    }
    return messages;
  }

  /** A power cut may leave messages here whose events did not reach the disk; nothing is folded from them any more. */
  #dropSurplus(): void {
    const surplus = this.#skip;
    this.#skip = 0;
    if (surplus > 0) this.#tryTo(() => dropLines(this.#file, surplus));
  }

  /** The journal is the truth: after a failure the file is left alone, and the next opening folds what is missing. */
  #tryTo<T>(work: () => T): T | null {
    if (this.#failed) return null;
    try {
      return work();
    } catch {
      this.#failed = true;
      return null;
    }
  }
}

/** Whole lines in the file; a last one that a crash cut off is taken away. */
function repairTail(file: string): number {
  if (!fs.existsSync(file)) return 0;
  const bytes = fs.readFileSync(file);
  const whole = bytes.lastIndexOf(0x0a) + 1;
  if (whole < bytes.length) fs.truncateSync(file, whole);
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}

/** Takes the last lines away; the file ends with a whole one. */
function dropLines(file: string, lines: number): void {
  const bytes = fs.readFileSync(file);
  let end = bytes.length;
  for (let line = 0; line < lines; line++) end = bytes.lastIndexOf(0x0a, end - 2) + 1;
  fs.truncateSync(file, end);
}
