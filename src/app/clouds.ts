/** The clouds of this program, one row each. Importing this page makes documents of their node classes readable. */
import { registerNodeClasses } from '../apis/node-class/node-class-codecs.js';
import { ec2NodeClassCodec } from '../clouds/aws/api/codec.js';
import { kwokNodeClassCodec } from '../clouds/kwok/kwok-node-class.js';

registerNodeClasses([ec2NodeClassCodec, kwokNodeClassCodec]);
