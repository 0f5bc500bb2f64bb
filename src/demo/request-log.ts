import type { RequestRecord } from './request-record.ts';

const MAX_RECORDS = 1000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The last requests, bounded in number and in bytes. */
export class RequestLog {
  #kept: { record: RequestRecord; bytes: number }[] = [];
  #bytes = 0;

  add(record: RequestRecord, bytes: number): void {
    this.#kept.push({ record, bytes });
    this.#bytes += bytes;
    while (this.#kept.length > MAX_RECORDS || (this.#bytes > MAX_BYTES && this.#kept.length > 1)) {
      this.#bytes -= this.#kept.shift()!.bytes;
    }
  }

  records(): RequestRecord[] {
    return this.#kept.map(({ record }) => record);
  }

  clear(): void {
    this.#kept = [];
    this.#bytes = 0;
  }
}
