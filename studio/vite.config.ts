import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const PURE = /\/src\/(?:client|conversation|protocol|record)\//;

/** The page as static files: nothing inline, so that its content security policy can be strict. */

/** Descriptions of fields are for documents; a page only checks what it receives. */
const withoutDescriptions = {
  name: 'without-descriptions',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!/\/src\/protocol\/.*\.ts$/.test(id)) return null;
    const described = /\.describe\(\s*(['"])(?:\\.|(?!\1)[^\\\n])*\1,?\s*\)/g;
    return { code: code.replaceAll(described, ''), map: null };
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Relative, because the server may be below a path of a proxy.
  base: './',
  plugins: [withoutDescriptions, react()],
  build: {
    outDir: path.join(import.meta.dirname, '..', 'dist', 'studio'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A test checks the compressed size; this warning is about the uncompressed one.
    chunkSizeWarningLimit: 2000,
    // These modules have no side effects, so a page gets only the parts that it uses.
    rolldownOptions: { treeshake: { moduleSideEffects: (id) => !PURE.test(id) } },
  },
});
