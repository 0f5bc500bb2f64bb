export const timeline = {
  playhead: ['Playhead', '播放头'],
  attempt: [(number: number) => `attempt ${number}`, (number: number) => `第 ${number} 次尝试`],
  idle: [
    (length: string, share: number) => `${length}, ${share} % idle · compress?`,
    (length: string, share: number) => `${length}，空闲 ${share} % · 压缩？`,
  ],
  honest: ['idle compressed · show all', '已压缩空闲 · 显示全部'],
  whole: ['Whole run', '整个运行'],
  clearWindow: ['Clear the time window', '清除时间窗口'],
  windowStart: ['Beginning of the time window', '时间窗口起点'],
  windowEnd: ['End of the time window', '时间窗口终点'],
  rows: {
    messages: ['message', '消息'],
    tools: ['tool call', '工具调用'],
    approvals: ['decision', '决定'],
    files: ['file', '文件'],
    diagnostics: ['diagnostic', '诊断'],
  },
  spoken: [
    (hours: number, minutes: number, seconds: number) =>
      [
        hours > 0 ? `${hours} ${hours === 1 ? 'hour' : 'hours'}` : '',
        minutes > 0 || hours > 0 ? `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}` : '',
        hours + minutes > 0 ? String(seconds) : `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
      ]
        .filter((part) => part !== '')
        .join(' '),
    (hours: number, minutes: number, seconds: number) =>
      `${hours > 0 ? `${hours} 小时 ` : ''}${hours + minutes > 0 ? `${minutes} 分 ` : ''}${seconds} 秒`,
  ],
  disc: [(length: string) => `Disc of the run, ${length}`, (length: string) => `运行圆盘，${length}`],
} as const;
