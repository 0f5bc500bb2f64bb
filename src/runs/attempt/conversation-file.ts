import fs from 'node:fs';
import path from 'node:path';
import { type Conversation, createConversation } from '../../conversation/index.ts';
import { appendRegularFile, isMachineTrouble, openRegularFile, readAt } from '../../files/index.ts';
import type { Journal } from '../../journal/index.ts';
import { CONVERSATION_FILE, type FcmpMessage, type RaspEvent } from '../../protocol/index.ts';
import { foldBatch, type RecordFiles, withWholeTexts } from '../../record/index.ts';
import { folderFiles, type RunFolder } from '../../recording/index.ts';
import { type KeptPoint, readConversationPoint, writeConversationPoint } from '../state/conversation-point.ts';
import { sizeOfRegular } from './diagnostics-file.ts';

const LINE_FEED = 0x0a;

/**
 * `conversation.jsonl`: the conversation on disk, appended after the events it is folded from. It is derived, so a
 * failed write does not fail the run. When it is opened, parts lost in a crash are folded again from the events: from
 * the last saved point, or from the first event if the file or the journal does not match that point.
 */
export class ConversationFile {
  readonly #folder: RunFolder;
  readonly #files: RecordFiles;
  readonly #attempt: number;
  readonly #file: string;
  readonly #fold: Conversation;
  /** Number of folded messages that the file already contains. */
  #skip: number;
  #failed = false;
  #machineFailed = false;
  /** Expected size of the file. */
  #bytes = 0;

  private constructor(folder: RunFolder, attempt: number, from: KeptPoint | null) {
    this.#folder = folder;
    this.#files = folderFiles(folder);
    this.#attempt = attempt;
    this.#file = fileOf(folder);
    this.#fold = createConversation({ run_id: folder.runId, ...(from ? { from: from.point } : {}) });
    this.#skip = this.#tryTo(() => repairTail(this.#file, from?.bytes ?? 0)) ?? 0;
  }

  /**
   * Opens the file of a run whose journal this process writes, and updates it to the journal's last event. Messages
   * appended afterwards belong to `attempt` or a later one.
   */
  static async open(folder: RunFolder, journal: Journal, attempt: number): Promise<ConversationFile> {
    const kept = readConversationPoint(folder);
    const from = kept && (await canContinue(kept, { folder, journal, attempt })) ? kept : null;
    const conversation = new ConversationFile(folder, attempt, from);
    let last: RaspEvent | undefined;
    for await (const batch of journal.read(folder.runId, { afterSeq: from?.seq ?? 0 })) {
      await conversation.#take(batch);
      last = batch.at(-1);
    }
    conversation.#dropSurplus();
    conversation.#bytes = sizeOfRegular(conversation.#file) ?? 0;
    if (last) conversation.#notePoint(last);
    return conversation;
  }

  /** Rebuilds the file from all events. */
  again(journal: Journal): Promise<ConversationFile> {
    return ConversationFile.open(this.#folder, journal, this.#attempt);
  }

  async append(events: readonly RaspEvent[]): Promise<FcmpMessage[]> {
    const messages = await this.#take(events);
    const last = events.at(-1);
    // Engine status events are frequent and occur in the middle of an attempt.
    const changed = events.some(({ event, source }) => event.type === 'lifecycle.run.status' && source.stream === null);
    if (last && changed) this.#notePoint(last);
    return messages;
  }

  /** Messages in parts, with the whole text of output of which the file has the beginning. */
  whole(messages: readonly FcmpMessage[]): AsyncIterable<FcmpMessage[]> {
    return withWholeTexts(this.#files, messages);
  }

  async #take(events: readonly RaspEvent[]): Promise<FcmpMessage[]> {
    const messages = await foldBatch(this.#fold, events, this.#files);
    const known = Math.min(this.#skip, messages.length);
    this.#skip -= known;
    const fresh = messages.slice(known);
    if (fresh.length > 0) {
      const lines = fresh.map((message) => `${JSON.stringify(message)}\n`).join('');
      this.#tryTo(() => appendRegularFile(this.#file, lines));
      this.#bytes += Buffer.byteLength(lines);
    }
    return messages;
  }

  /** Whether the file's size matches what was written; true after a failure of the machine, such as a full disk. */
  isKept(): boolean {
    return this.#machineFailed || (!this.#failed && sizeOfRegular(this.#file) === this.#bytes);
  }

  /** The file contains every message up to this event, so the next opening only needs later events. */
  #notePoint({ seq, chain }: RaspEvent): void {
    const point = this.#fold.point();
    if (point === null) return;
    const bytes = this.#tryTo(() => fs.statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0);
    if (bytes !== null) writeConversationPoint(this.#folder, { seq, chain, bytes, point });
  }

  /** A power failure may leave messages whose events did not reach the disk; they are dropped. */
  #dropSurplus(): void {
    const surplus = this.#skip;
    this.#skip = 0;
    if (surplus > 0) this.#tryTo(() => dropLines(this.#file, surplus));
  }

  /**
   * The journal is authoritative: after a failure the file is left alone, and the next opening adds the missing part.
   */
  #tryTo<T>(work: () => T): T | null {
    if (this.#failed) return null;
    try {
      return work();
    } catch (error) {
      this.#failed = true;
      this.#machineFailed = isMachineTrouble(error);
      return null;
    }
  }
}

function fileOf({ audit }: RunFolder): string {
  return path.join(audit, CONVERSATION_FILE);
}

/** Whether the file and the journal still match the saved point, and later events do not depend on earlier ones. */
async function canContinue(
  { seq, chain, bytes, point }: KeptPoint,
  { folder, journal, attempt }: { folder: RunFolder; journal: Journal; attempt: number },
): Promise<boolean> {
  const found: RaspEvent[] = [];
  for await (const batch of journal.read(folder.runId, { afterSeq: seq - 1, limit: 2 })) found.push(...batch);
  const [at, next] = found;
  if (at?.seq !== seq || at.chain !== chain || !endsLine(fileOf(folder), bytes)) return false;
  return !point.over || (next?.attempt_number ?? attempt) > point.attempt;
}

/** True at the end of a complete line, or at the start of the file. */
function endsLine(file: string, at: number): boolean {
  try {
    return at === 0 || withFile(file, (fd) => readAt(fd, at - 1, 1)[0]) === LINE_FEED;
  } catch {
    return false;
  }
}

/** The number of complete lines after `from`; removes a last line cut off by a crash. */
function repairTail(file: string, from: number): number {
  if (!fs.lstatSync(file, { throwIfNoEntry: false })) return 0;
  return withFile(file, (fd, size) => {
    const bytes = readAt(fd, from, size - from);
    const whole = bytes.lastIndexOf(LINE_FEED) + 1;
    if (whole < bytes.length) fs.ftruncateSync(fd, from + whole);
    let lines = 0;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines++;
    return lines;
  });
}

/** Removes the last lines; the file ends with a complete one. */
function dropLines(file: string, lines: number): void {
  withFile(file, (fd, size) => {
    const bytes = readAt(fd, 0, size);
    let end = bytes.length;
    for (let line = 0; line < lines; line++) end = bytes.lastIndexOf(LINE_FEED, end - 2) + 1;
    fs.ftruncateSync(fd, end);
  });
}

function withFile<T>(file: string, work: (fd: number, size: number) => T): T {
  const fd = openRegularFile(file, 'update');
  try {
    return work(fd, fs.fstatSync(fd).size);
  } finally {
    fs.closeSync(fd);
  }
}
