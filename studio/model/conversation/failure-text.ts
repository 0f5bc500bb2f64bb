import type { FcmpMessage } from '../../../src/protocol/index.ts';

type Failure = FcmpMessage<'conversation.failed'>['data']['error'];

/** Reasons for the end of a run in Chinese, by code. Their English is in the record. */
const REASONS: Readonly<Record<string, string>> = {
  EXIT_NONZERO: '程序的退出码不为 0。',
  SIGNALED: '程序被信号终止。',
  HARD_TIMEOUT: '运行超过时限，已被终止。',
  NO_PROGRESS: '程序长时间没有输出，已被终止。',
  OUTPUT_CAP: '程序的输出超过上限，已被终止。',
  DISK_FULL: '磁盘已满。',
  RECORDING_FAILED: '录制失败，程序已被终止。',
  RECORD_TOUCHED: '录制期间记录被改动，很可能是程序所为。',
  BUDGET_EXCEEDED: '运行的预算已用完。',
  CANCELED: '运行已取消。',
  COMMAND_NOT_FOUND: '找不到要运行的程序。',
  COMMAND_NOT_EXECUTABLE: '要运行的程序没有执行权限。',
};

/** Why a run failed, in English and in Chinese. The engine's own words are not translated. */
export function failureText({ code, category, message }: Failure): readonly [string, string] {
  const chinese = REASONS[code];
  if (chinese === undefined) return [message, message];
  return [message, category === 'engine' ? `${chinese} ${message}` : chinese];
}
