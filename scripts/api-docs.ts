/** Writes the generated part of docs/agent-api.md. The same as UPDATE_DOCS=1 npx vitest run test/docs/agent-api.test.ts. */
import fs from 'node:fs';
import path from 'node:path';
import { apiSections } from './api-docs/page.ts';

const page = path.join(import.meta.dirname, '../docs/agent-api.md');
const text = fs.readFileSync(page, 'utf8');
const generated = /(<!-- api:begin.*-->\n)[\s\S]*(<!-- api:end -->)/;
fs.writeFileSync(
  page,
  text.replace(generated, (_, begin, end) => `${begin}${apiSections()}${end}`),
);
