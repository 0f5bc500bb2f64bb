export const RUN_FORMAT = 'tacho-run/1';

/** `YYYYMMDDTHHMMSS-<engine>-<8 hex>`; the last eight hex digits are the handle. */
export const RUN_ID_PATTERN = /^\d{8}T\d{6}-[a-z][a-z0-9_-]*-[0-9a-f]{8}$/;
export const HANDLE_PATTERN = /^[0-9a-f]{8}$/;
