import { VARIANTS } from '../../support/scenarios.ts';
import { describeMatrix } from './matrix.ts';

describeMatrix(VARIANTS.find(({ name }) => name === 'pi')!);
