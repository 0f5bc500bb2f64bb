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
  watched: ['watched', '旁观'],
  watchedMeans: [
    (path: string) =>
      `Read by tacho watch from ${path}. tacho did not record the engine itself: the seals prove that what was read has not changed since.`,
    (path: string) => `由 tacho watch 从 ${path} 读取。引擎本身并非由 tacho 记录：封印只证明所读内容此后未被更改。`,
  ],
  listed: ['In the ledger:', '已列入账本：'],
  ledger: ['Ledger', '账本'],
} as const;
