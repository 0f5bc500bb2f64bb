import { expect } from 'vitest';
import { type RecordFiles, type Verification, verifyRecord } from '../../src/record/index.ts';
import { folderFiles, type RunFolder, zipRun } from '../../src/recording/index.ts';
import { archiveFiles } from '../../studio/source/archive/archive-files.ts';
import { openArchive } from '../../studio/source/archive/open-archive.ts';

/** The same record through both implementations of the port: the run folder in Node, and the archive in a page. */
export async function bothPorts(folder: RunFolder): Promise<{ node: RecordFiles; page: RecordFiles }> {
  return { node: folderFiles(folder), page: archiveFiles(await openArchive(await zipped(folder)), folder.runId) };
}

export async function zipped(folder: RunFolder): Promise<Blob> {
  return new Blob(await (await zipRun(folder)).toArray());
}

/** The result of both, which must be the same. */
export async function onBoth<T>(folder: RunFolder, work: (files: RecordFiles) => Promise<T>): Promise<T> {
  const { node, page } = await bothPorts(folder);
  const found = await work(node);
  expect(await work(page)).toEqual(found);
  return found;
}

export function verifyBoth(folder: RunFolder): Promise<Verification> {
  return onBoth(folder, verifyRecord);
}
