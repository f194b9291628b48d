/** Memory optimized families: r, u, x and z. The columns are explained in family-table.ts. */
export const MEMORY_OPTIMIZED = `
family     cpu    mhz   sizes                                                    gib        usd            eni     network   ebs     branch    efa   nvme   notes
r3         intel  2500  large..8xlarge                                           7.625      0.665/8        c5      c3        -       -         -     -      xen,plaintext
r4         intel  2300  large..8xlarge,16xlarge                                  7.625      0.0665         c5      r4        r4      -         -     -      xen,plaintext
r5         intel  3100  large..24xlarge,metal                                    8          0.063          c5      c5        c5      c5        -     -      plaintext
r5a        amd    2500  large..24xlarge                                          8          0.0565         c5      m5a       r5a     c5        -     -      plaintext
r5ad       amd    m5ad  large..24xlarge                                          8          0.0655         c5      m5a       r5a     c5        -     m5d    plaintext
r5b        intel  3100  large..24xlarge,metal                                    8          0.0745         c5      c5        r5b     c5        -     -      plaintext
r5d        intel  3100  large..24xlarge,metal                                    8          0.072          c5      c5        c5      c5        -     m5d    plaintext
r5dn       intel  3100  large..24xlarge,metal                                    8          0.0835         c5      m5n       c5      c5        c8g   m5d    -
r5n        intel  3100  large..24xlarge,metal                                    8          0.0745         c5      m5n       c5      c5        c8g   -      -
r6a        amd    3600  large..48xlarge,metal                                    8          0.0567         c5      c6a       c6a     c6a       c6a   -      -
r6g        aws    2500  medium..16xlarge,metal                                   8          0.0504         c5      c6g       c6g     c5        -     -      plaintext
r6gd       aws    2500  medium..16xlarge,metal                                   8          0.0576         c5      c6g       c6g     c5        -     c6gd   plaintext
r6i        intel  3500  large..32xlarge,metal                                    8          0.063          c5      c6a       c6i     c6a       c6i   -      -
r6id       intel  3500  large..32xlarge,metal                                    8          0.0756         c5      c6a       c6i     c6a       c6i   c6gd   -
r6idn      intel  3500  large..32xlarge,metal                                    8          0.097695       c6in    c6in      c6in    c6in      c6in  c6gd   -
r6in       intel  3500  large..32xlarge,metal                                    8          0.087165       c6in    c6in      c6in    c6in      c6in  -      -
r7a        amd    3700  medium..48xlarge,metal-48xl                              8          0.076075       c5      c6a       c6a     c6a       c6a   -      -
r7g        aws    2600  medium..16xlarge,metal                                   8          0.05355        c5      c7g       c6i     c5        c6gn  -      -
r7gd       aws    2600  medium..16xlarge,metal                                   8          2.1773/32      c5      c7g       c6i     c5        c6gn  c6gd   -
r7i        intel  3200  large..24xlarge,48xlarge,metal-24xl,metal-48xl           8          0.06615        c5      c6a       c6a     c6a       c6a   -      -
r7iz       intel  3900  large..16xlarge,32xlarge,metal-16xl,metal-32xl           8          0.093          c5      r7iz      r7iz    c6a       c6i   -      -
r8a        amd    4500  medium..24xlarge,48xlarge,metal-24xl,metal-48xl          8          0.07988        c8a     c8a       c6i     c8a       c6a   -      -
r8g        aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl          8          0.05891        c5      c8g       c6a     c5        c8g   -      -
r8gb       aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl          8          0.09109        c8gb    c8gb      c8gb    c8gb      c8gb  -      -
r8gd       aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl          8          0.07348        c5      c8g       c6a     c5        c8g   c6gd   -
r8gn       aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl          8          0.09109        c8gb    c7gn      r5b     c8gb      c8gb  -      -
r8i        intel  3900  large..96xlarge,metal-48xl,metal-96xl                    8          0.06946        c8i     c8a       c6i     c8a       c6a   -      -
r8i-flex   intel  3900  large..16xlarge                                          8          0.065985       c8i     c8i-flex  c6i     c8i-flex  -     -      no-enclaves
r8ib       intel  3900  large..96xlarge,metal-48xl,metal-96xl                    8          0.1046         c8ib    c8ib      c6in    c8ib      c8ib  -      -
r8id       intel  3900  large..96xlarge,metal-48xl,metal-96xl                    8          0.08316        c8i     c8a       c6i     c8a       c6a   c6gd   -
r8idb      intel  3900  large..96xlarge,metal-48xl,metal-96xl                    8          0.117235       c8ib    c8ib      c6in    c8ib      c8ib  c6gd   -
r8idn      intel  3900  large..96xlarge,metal-48xl,metal-96xl                    8          0.117235       c8ib    c6in      c8in    c8ib      c8ib  c6gd   -
r8in       intel  3900  large..96xlarge,metal-48xl,metal-96xl                    8          0.1046         c8ib    c6in      c8in    c8ib      c8ib  -      -
u-3tb1     intel  2100  56xlarge                                                 3072/224   0.121875       8x30    50000     19000   6         -     -      on-demand,no-enclaves
u-6tb1     intel  2100  56xlarge,112xlarge                                       6144/224   0.121875       15x50   100000    38000   -         -     -      on-demand,no-enclaves
u7i-12tb   intel  1900  224xlarge                                                12288/896  125.58182/896  15x50   100000    100000  107       1     -      on-demand,no-enclaves
u7i-6tb    intel  1900  112xlarge                                                6144/448   62.79/448      15x50   100000    100000  107       1     -      on-demand,no-enclaves
u7i-8tb    intel  1900  112xlarge                                                8192/448   0.186875       15x50   100000    100000  107       1     -      on-demand,no-enclaves
u7in-16tb  intel  1900  224xlarge                                                16384/896  180.47558/896  8x50    200000    100000  106       2     -      on-demand,no-enclaves
u7in-24tb  intel  1900  224xlarge                                                24576/896  270.73128/896  8x50    200000    100000  106       2     -      on-demand,no-enclaves
u7in-32tb  intel  1900  224xlarge                                                32768/896  360.98695/896  8x50    200000    100000  106       2     -      on-demand,no-enclaves
x1         intel  2300  16xlarge,32xlarge                                        15.25      6.669/64       8x30    x1        x1      -         -     -      xen,plaintext
x1e        intel  2300  xlarge..8xlarge,16xlarge,32xlarge                        30.5       0.2085         x1e     x1        x1      -         -     -      xen,plaintext
x2gd       aws    2500  medium..16xlarge,metal                                   16         0.0835         c5      c6g       c6g     a1        -     x2gd   plaintext
x2idn      intel  3500  16xlarge..32xlarge,metal                                 16         6.669/64       15x50   x2idn     trn1    107       c6i   x2idn  -
x2iedn     intel  3500  xlarge..8xlarge,16xlarge..32xlarge,metal                 32         20.007/96      c5      x2idn     trn1    x2iedn    c6i   x2idn  -
x2iezn     intel  4500  2xlarge,4xlarge,6xlarge,8xlarge,12xlarge,metal           32         0.2085         x2iezn  x2iezn    x2iezn  x2iezn    i3en  -      -
x8g        aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl          16         0.0977         c5      c8g       c6a     c5        c8g   -      -
x8i        intel  3900  large..48xlarge,64xlarge,96xlarge,metal-48xl,metal-96xl  16         0.109415       c8i     c8a       c6i     c8a       c6a   -      -
z1d        intel  4000  large..2xlarge,3xlarge,6xlarge,12xlarge,metal            8          0.093          m5zn    z1d       m5zn    z1d       -     z1d    plaintext
`;

/** What single types have otherwise than their family's row says. */
export const MEMORY_OPTIMIZED_EXCEPTIONS = `
r3.large          mib=15360 usd=0.166
r3.xlarge         usd=0.333
r5.metal          branch=120
r5b.metal         usd=7.8672
r6g.metal         usd=3.4191
r6gd.metal        usd=3.9076
r7g.medium        usd=0.0536
r7gd.medium       usd=0.068
r7i.metal-24xl    usd=6.98544
r7iz.metal-16xl   usd=6.5472
r7iz.metal-32xl   usd=13.0944
r8a.metal-24xl    usd=8.43533
r8g.metal-24xl    usd=6.2209
r8gb.metal-24xl   usd=18.53864 branch=0
r8gb.metal-48xl   branch=0
r8gd.metal-24xl   usd=7.75949
r8gn.metal-24xl   usd=9.2693 branch=0
r8gn.metal-48xl   branch=0
r8i.metal-48xl    usd=14.66995
r8ib.metal-48xl   usd=22.09152 branch=0
r8ib.metal-96xl   branch=0
r8id.metal-48xl   usd=17.56339
r8idb.metal-48xl  usd=24.76003 branch=0
r8idb.metal-96xl  branch=0
r8idn.metal-48xl  usd=24.76003 branch=0
r8idn.metal-96xl  branch=0
r8in.metal-48xl   usd=22.09152 branch=0
r8in.metal-96xl   branch=0
u-6tb1.56xlarge   usd=46.40391
u-6tb1.112xlarge  mib=6291456
x2gd.metal        usd=5.8784
x8g.metal-24xl    usd=10.31712
x8i.96xlarge      usd=48.74438
x8i.metal-48xl    usd=23.10845
x8i.metal-96xl    usd=48.74438
`;
