export const seals = {
  recovered: ['recovered', '已恢复'],
  recoveredMeans: [
    (attempts: string) => `Attempt ${attempts}: its recorder died; tacho recover completed and sealed it.`,
    (attempts: string) => `第 ${attempts} 次尝试：记录进程中途终止，由 tacho recover 补全并封存。`,
  ],
  older: [
    (attempts: string) => `Attempt ${attempts}: sealed before the ledger began.`,
    (attempts: string) => `第 ${attempts} 次尝试：封存早于账本建立。`,
  ],
  listed: ['In the ledger:', '已列入账本：'],
  ledger: ['Ledger', '账本'],
} as const;
