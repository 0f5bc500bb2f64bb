/** Texts of the dialog that checks all runs, which is loaded on first use. */
export const ledger = {
  title: ['Verify all runs since a ledger head', '自账本头起校验所有运行'],
  explain: [
    'Paste a line printed by tacho ledger head to check whether any sealed run was changed, replaced or removed since.',
    '粘贴 tacho ledger head 输出的一行，即可得知此后是否有已封存的运行被改动、替换或删除。',
  ],
  head: ['Ledger head', '账本头'],
  deep: ['Also recompute every hash', '同时重新计算所有哈希'],
  check: ['Verify', '校验'],
  checking: ['Verifying…', '正在校验…'],
  intact: [
    (seals: string, newer: string) => `Intact: ${seals} seals as listed, ${newer} entries newer than the head.`,
    (seals: string, newer: string) => `完好：${seals} 个封印与账本一致，${newer} 条记录晚于该账本头。`,
  ],
  changed: ['Changed since the head was printed:', '自该账本头以来发生改动：'],
  ofAttempt: [(attempt: number) => `attempt ${attempt}`, (attempt: number) => `第 ${attempt} 次尝试`],
  removed: [
    (run: string, at: string) => `${run} was removed at ${at}.`,
    (run: string, at: string) => `${run} 已于 ${at} 删除。`,
  ],
} as const;
