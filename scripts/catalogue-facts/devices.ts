/** GPUs and other accelerators by family: what one is, and how many a size has (number or ladder, see ladder.ts). */

/**
 * name and manufacturer are spelled as Karpenter's labels spell them; mib is the memory of one GPU; cores are NeuronCores of
 * one device. A count of 0 is a share of one GPU, which EC2 does not count.
 */
export const DEVICES = `
family   name                 manufacturer  mib                     cores  count
dl1      gaudi-hl-205         habana        32768                   -      8
g4ad     radeon-pro-v520      amd           8192                    -      4:1,32:2,64:4
g4dn     t4                   nvidia        16384                   -      4:1,48:4,64:1,96:8
g5       a10g                 nvidia        22888                   -      4:1,48:4,64:1,96:4,192:8
g5g      t4g                  nvidia        16384                   -      4:1,64:2
g6       l4                   nvidia        22888                   -      4:1,48:4,64:1,96:4,192:8
g6e      l40s                 nvidia        45776                   -      4:1,48:4,64:1,96:4,192:8
g6f      l4                   nvidia        2:2861,8:5722,16:11444  -      0
g7       rtx-pro-4500         nvidia        32768                   -      8:1,48:2,96:4,192:8
g7e      rtx-pro-server-6000  nvidia        98304                   -      8:1,48:2,96:4,192:8
gr6      l4                   nvidia        22888                   -      1
gr6f     l4                   nvidia        11444                   -      0
inf1     inferentia           aws           -                       4      4:1,24:4,96:16
inf2     inferentia2          aws           -                       2      4:1,96:6,192:12
p3dn     v100                 nvidia        32768                   -      8
p4d      a100                 nvidia        40960                   -      8
p4de     a100                 nvidia        81920                   -      8
p5       h100                 nvidia        81920                   -      16:1,192:8
p5en     h200                 nvidia        144384                  -      8
p6-b200  b200                 nvidia        183359                  -      8
p6-b300  b300                 nvidia        275040                  -      8
trn1     trainium             aws           -                       2      8:1,128:16
trn1n    trainium             aws           -                       2      16
`;
