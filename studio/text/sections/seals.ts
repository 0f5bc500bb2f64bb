export const seals = {
  recovered: ['recovered', '已恢复'],
  recoveredMeans: [
    (attempts: string) => `Attempt ${attempts}: its recorder died; tacho recover completed and sealed it.`,
    (attempts: string) => `第 ${attempts} 次尝试：记录进程中途终止，由 tacho recover 补全并封存。`,
  ],
  older: [
    (attempts: string) => `Attempt ${attempts}: sealed before the ledger began, so not listed in it.`,
    (attempts: string) => `第 ${attempts} 次尝试：封存早于账本建立，因此未列入账本。`,
  ],
  foreign: [
    (keys: string) => `Signed with key ${keys}, which is not this server’s.`,
    (keys: string) => `由密钥 ${keys} 签名，并非本服务器的密钥。`,
  ],
  listed: ['Listed in the ledger with head', '已列入账本，账本头为'],
  ledger: ['Ledger', '账本'],
  ledgerTitle: ['Verify all runs since a ledger head', '自账本头起校验所有运行'],
  ledgerExplain: [
    'Paste a line that tacho ledger head printed. It shows whether any sealed run was changed, replaced or removed since.',
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
