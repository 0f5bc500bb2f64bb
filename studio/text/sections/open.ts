export const open = {
  title: ['Open a run', '打开运行'],
  explain: [
    'Drop the archive of a run here, or choose it. It is read in this page and is not uploaded.',
    '把运行的归档拖到这里，或选择文件。它只在本页读取，不会发送到任何地方。',
  ],
  howTo: ['Made with', '生成方式'],
  choose: ['Choose a file', '选择文件'],
  dropHere: ['Drop it to open it.', '松开即可打开。'],
  opening: [(name: string) => `Opening ${name}…`, (name: string) => `正在打开 ${name}…`],
  another: ['Open another', '打开其他'],
  from: [
    (name: string, size: string) => `${name}, ${size} · read only, no server`,
    (name: string, size: string) => `${name}，${size} · 只读，无服务器`,
  ],
  check: ['Check the seal', '校验封存'],
  checking: ['Checking…', '校验中…'],
  intact: [
    (events: string, files: string, size: string, keys: string) =>
      `Intact: ${events} events, ${files} files (${size}) and the signature are as they were sealed with key ${keys}.`,
    (events: string, files: string, size: string, keys: string) =>
      `完好：${events} 个事件、${files} 个文件（${size}）及签名均与密钥 ${keys} 封存时一致。`,
  ],
  changed: ['Changed since it was sealed:', '封存后被改动：'],
  incomplete: ['Not all of it could be checked:', '未能全部校验：'],
  checkedSoFar: [
    (events: string, files: string, signatures: string) =>
      `Checked: ${events} events, ${files} files, ${signatures} signatures.`,
    (events: string, files: string, signatures: string) =>
      `已校验：${events} 个事件、${files} 个文件、${signatures} 个签名。`,
  ],
  lineIncomplete: [
    (line: number, file: string, shown: number, what: string) =>
      `Line ${line} of ${file} is incomplete; ${shown} ${what} shown.`,
    (line: number, file: string, shown: number, what: string) => `${file} 第 ${line} 行不完整；显示 ${shown} ${what}。`,
  ],
  lineUnreadable: [
    (line: number, file: string, shown: number, what: string) =>
      `Line ${line} of ${file} cannot be read; ${shown} ${what} shown.`,
    (line: number, file: string, shown: number, what: string) =>
      `${file} 第 ${line} 行无法读取；显示 ${shown} ${what}。`,
  ],
  lineNewer: [
    (line: number, file: string, shown: number, what: string) =>
      `From line ${line} on, ${file} has a newer protocol than this page can read; ${shown} ${what} shown.`,
    (line: number, file: string, shown: number, what: string) =>
      `${file} 自第 ${line} 行起使用更新的协议，本页无法读取；显示 ${shown} ${what}。`,
  ],
  events: ['events', '个事件'],
  messages: ['messages', '条消息'],
  notZip: ['This file is not a zip archive.', '此文件不是 zip 归档。'],
  noRun: ['This zip contains no run.', '此 zip 中没有运行。'],
  severalRuns: [
    (count: number) => `This zip contains ${count} runs; only one can be opened at a time.`,
    (count: number) => `此 zip 含 ${count} 个运行；一次只能打开一个。`,
  ],
  damaged: [
    (file: string, what: string) => `The archive is damaged: ${file}: ${what}`,
    (file: string, what: string) => `归档已损坏：${file}：${what}`,
  ],
  newer: [
    (format: string, known: string) => `The run has format ${format}; this page reads ${known}.`,
    (format: string, known: string) => `运行格式为 ${format}；本页可读 ${known}。`,
  ],
  tooLarge: [
    (file: string, size: string, most: string) => `${file} is ${size}; this page reads files up to ${most}.`,
    (file: string, size: string, most: string) => `${file} 大小为 ${size}；本页最多读取 ${most}。`,
  ],
  unreadable: [(what: string) => `The file cannot be read: ${what}`, (what: string) => `无法读取文件：${what}`],
  fixExport: ['Export the run again:', '请重新导出运行：'],
  fixNewer: ['Open it with the tacho that made it, or a later one.', '请使用生成它的 tacho 或更新版本打开。'],
  fixLarge: ['Use tacho itself:', '请使用 tacho：'],
} as const;
