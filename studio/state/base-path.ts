/** Where the page is on its host, such as `/tacho` behind a proxy; empty at the top. Every module is one folder below. */
export const basePath = new URL(import.meta.url).pathname.split('/').slice(0, -2).join('/');
