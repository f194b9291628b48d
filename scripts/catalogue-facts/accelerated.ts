/** Families with GPUs or other accelerators: dl, f, g, gr, inf, p, trn and vt. Their devices stand in devices.ts. The columns are explained in family-table.ts. */
export const ACCELERATED = `
family   cpu    mhz   sizes                                gib       usd           eni    network  ebs     branch  efa             nvme   notes
dl1      intel  3000  24xlarge                             8         13.10904/96   15x50  400000   19000   -       4               4000   -
f2       amd    3400  6xlarge,12xlarge,48xlarge            256/24    0.0825        c5     i7ie     f2      f2      c6a             f2     -
g4ad     amd    3000  xlarge..8xlarge,16xlarge             4         0.867/16      g4ad   g4ad     c5a     g4ad    -               c5ad   no-enclaves
g4dn     intel  2500  xlarge..16xlarge,metal               4         0.068         g4dn   g4dn     g4dn    g4dn    g4dn            g4dn   -
g5       amd    3300  xlarge..24xlarge,48xlarge            4         8.144/96      g5     g5       g5      g5      g4dn            g5     -
g5g      aws    2500  xlarge..8xlarge,16xlarge,metal       2         0.042875      c5     c6g      c6g     c5      -               -      plaintext,no-enclaves
g6       amd    3400  xlarge..24xlarge,48xlarge            4         6.6752/96     c5     g5       g6      c6a     g4dn            g6     -
g6e      amd    3400  xlarge..24xlarge,48xlarge            8         15.06559/96   g6e    g6e      g6      g6e     g6e             g5     -
g6f      amd    3400  large..4xlarge                       4         0.475/8       m4     g6f      g6f     g6f     -               g6f    -
g7       intel  -     2xlarge..12xlarge,24xlarge,48xlarge  4         7.12832/48    g7     g7       g7      g7      1:0,32:1,192:2  g7     -
g7e      intel  2400  2xlarge..12xlarge,24xlarge,48xlarge  8         8.28608/48    g7e    g7e      g7e     120     g6e             g7e    -
gr6      amd    3400  4xlarge,8xlarge                      8         0.0962        8x30   g5       g6      c6a     g4dn            g5     -
gr6f     amd    3400  4xlarge                              8         0.066625      8x30   10000    8000    54      -               450    -
inf1     intel  2500  xlarge,2xlarge,6xlarge,24xlarge      2         0.04917       inf1   inf1     c5      inf1    c8g             -      -
inf2     amd    3600  xlarge,8xlarge,24xlarge,48xlarge     4         6.49063/96    c5     inf2     c6i     c6a     -               -      -
p3dn     intel  2500  24xlarge                             8         0.325125      15x50  100000   19000   107     1               1800   -
p4d      intel  3000  24xlarge                             12        21.957642/96  15x50  400000   19000   62      4               8000   -
p4de     intel  3000  24xlarge                             12        27.44705/96   15x50  400000   19000   62      4               8000   -
p5       amd    3600  4xlarge,48xlarge                     16        0.43          p5     p5       p5      p5      1:1,192:32      p5     -
p5en     intel  2400  48xlarge                             2048/192  63.296/192    4x50   3200000  100000  120     16              30400  -
p6-b200  intel  2400  48xlarge                             2048/192  0.5934        4x50   3200000  100000  120     8               30400  no-enclaves
p6-b300  intel  2400  48xlarge                             4096/192  0.74175       4x50   6400000  100000  120     16              30400  -
trn1     intel  3500  2xlarge,32xlarge                     4         21.5/128      trn1   trn1     trn1    trn1    1:0,128:8       c6gd   no-enclaves
trn1n    intel  3500  32xlarge                             4         24.78/128     5x50   1600000  80000   120     16              7600   no-enclaves
vt1      intel  2500  3xlarge,6xlarge,24xlarge             2         1.3/24        c5     vt1      c5      vt1     c8g             -      no-enclaves
`;

/** What single types have otherwise than their family's row says. */
export const ACCELERATED_EXCEPTIONS = `
g4ad.xlarge    usd=0.37853
g4ad.2xlarge   usd=0.54117
g4dn.xlarge    usd=0.526
g4dn.2xlarge   usd=0.752
g4dn.4xlarge   usd=1.204
g4dn.12xlarge  usd=3.912
g4dn.metal     vcpu=96 usd=7.824
g5.xlarge      usd=1.006
g5.2xlarge     usd=1.212
g5.4xlarge     usd=1.624
g5.8xlarge     usd=2.448
g5.12xlarge    usd=5.672
g5.16xlarge    usd=4.096
g5g.xlarge     usd=0.42
g5g.2xlarge    usd=0.556
g5g.4xlarge    usd=0.828
g6.xlarge      usd=0.8048
g6.2xlarge     usd=0.9776
g6.4xlarge     usd=1.3232
g6.8xlarge     usd=2.0144
g6.12xlarge    usd=4.6016
g6.16xlarge    usd=3.3968
g6e.xlarge     usd=1.861
g6e.2xlarge    usd=2.24208
g6e.4xlarge    usd=3.00424
g6e.8xlarge    usd=4.52856
g6e.12xlarge   usd=10.49264
g6e.16xlarge   usd=7.57719
g6f.large      usd=0.202
g7.2xlarge     usd=2.52
g7.4xlarge     usd=3.04208
g7.8xlarge     usd=4.08624
g7e.2xlarge    usd=3.36312
g7e.4xlarge    usd=3.99816
g7e.8xlarge    usd=5.26824
g7e.12xlarge   mib=524288
g7e.24xlarge   mib=1048576
g7e.48xlarge   mib=2097152
gr6.8xlarge    usd=2.4464
inf1.xlarge    usd=0.228
inf1.2xlarge   usd=0.362
inf2.xlarge    usd=0.7582
inf2.8xlarge   usd=1.96786
p5.48xlarge    mib=2097152 usd=55.04
`;
