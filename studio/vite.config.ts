import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const PURE = /\/src\/(?:client|conversation|protocol|record)\//;

/** The page, as files that any server can hand out: nothing inline, so that its content security policy can be strict. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: path.join(import.meta.dirname, '..', 'dist', 'studio'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Counted by a test, compressed; what warns here is uncompressed.
    chunkSizeWarningLimit: 2000,
    // Nothing happens when these are loaded, so a page gets the parts it uses and not all that their index names.
    rolldownOptions: { treeshake: { moduleSideEffects: (id) => !PURE.test(id) } },
  },
});
