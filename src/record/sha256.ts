import type { RunningHash, Sha256 } from './record-files.ts';

/**
 * SHA-256 in plain JavaScript. Browsers have no other incremental hash, and none at all on pages that were not loaded
 * over https. Node has a faster one.
 */
export const plainSha256: Sha256 = {
  of(bytes) {
    const hash = startHash();
    hash.update(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes);
    return hash.digest();
  },
  start: startHash,
};

const BLOCK_BYTES = 64;

// Fractional parts of the cube roots of the first 64 primes (FIPS 180-4).
const ROUNDS = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);

// Fractional parts of the square roots of the first 8 primes.
const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

const schedule = new Int32Array(64);

function startHash(): RunningHash {
  const state = new Int32Array(START);
  const waiting = new Uint8Array(BLOCK_BYTES);
  let waitingBytes = 0;
  let total = 0;

  return {
    update(bytes) {
      total += bytes.length;
      let at = 0;
      if (waitingBytes > 0) {
        at = Math.min(BLOCK_BYTES - waitingBytes, bytes.length);
        waiting.set(bytes.subarray(0, at), waitingBytes);
        waitingBytes += at;
        if (waitingBytes < BLOCK_BYTES) return;
        addBlock(state, waiting, 0);
        waitingBytes = 0;
      }
      for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) addBlock(state, bytes, at);
      waiting.set(bytes.subarray(at));
      waitingBytes = bytes.length - at;
    },
    digest() {
      const last = new Uint8Array(waitingBytes < BLOCK_BYTES - 8 ? BLOCK_BYTES : 2 * BLOCK_BYTES);
      last.set(waiting.subarray(0, waitingBytes));
      last[waitingBytes] = 0x80;
      const view = new DataView(last.buffer);
      view.setUint32(last.length - 8, Math.floor(total / 2 ** 29));
      view.setUint32(last.length - 4, (total << 3) >>> 0);
      const ended = Int32Array.from(state);
      for (let at = 0; at < last.length; at += BLOCK_BYTES) addBlock(ended, last, at);
      return Array.from(ended, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
    },
  };
}

function addBlock(state: Int32Array, bytes: Uint8Array, at: number): void {
  const words = schedule;
  for (let i = 0, from = at; i < 16; i++, from += 4) {
    words[i] = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const early = words[i - 15]!;
    const late = words[i - 2]!;
    const one = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const two = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[i] = (words[i - 16]! + one + words[i - 7]! + two) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const turnedE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + turnedE + ((e & f) ^ (~e & g)) + ROUNDS[i]! + words[i]!) | 0;
    const turnedA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (turnedA + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}
