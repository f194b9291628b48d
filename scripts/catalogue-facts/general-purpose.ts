/** General purpose families: a, m and t. The columns are explained in family-table.ts. */
export const GENERAL_PURPOSE = `
family    cpu    mhz   sizes                                                                   gib   usd       eni    network   ebs    branch    efa   nvme  notes
a1        aws    2300  medium..4xlarge,metal                                                   2     0.0255    c5     c6g       3500   a1        -     -     plaintext,no-enclaves
m1        intel  -     small..xlarge                                                           3.75  0.0875    m1     -         -      -         -     -     xen,plaintext
m2        intel  -     xlarge..4xlarge                                                         8.55  0.1225    m2     -         -      -         -     -     xen,plaintext
m3        intel  2500  medium..2xlarge                                                         3.75  0.0665    m1     -         -      -         -     -     xen,plaintext
m4        intel  m4    large..4xlarge,10xlarge,16xlarge                                        4     0.05      m4     m4        m4     -         -     -     xen,plaintext
m5        intel  3100  large..24xlarge,metal                                                   4     0.048     c5     c5        c5     c5        -     -     plaintext
m5a       amd    2500  large..24xlarge                                                         4     0.043     c5     m5a       m5a    c5        -     -     plaintext
m5ad      amd    m5ad  large..24xlarge                                                         4     0.0515    c5     m5a       m5a    c5        -     m5d   plaintext
m5d       intel  3100  large..24xlarge,metal                                                   4     0.0565    c5     c5        c5     c5        -     m5d   plaintext
m5dn      intel  3100  large..24xlarge,metal                                                   4     0.068     c5     m5n       c5     c5        c8g   m5d   -
m5n       intel  3100  large..24xlarge,metal                                                   4     0.0595    c5     m5n       c5     c5        c8g   -     -
m5zn      intel  4500  large..2xlarge,3xlarge,6xlarge,12xlarge,metal                           4     0.991/12  m5zn   m5zn      m5zn   m5zn      i3en  -     -
m6a       amd    3600  large..48xlarge,metal                                                   4     0.0432    c5     c6a       c6a    c6a       c6a   -     -
m6g       aws    2500  medium..16xlarge,metal                                                  4     0.0385    c5     c6g       c6g    c5        -     -     plaintext
m6gd      aws    2500  medium..16xlarge,metal                                                  4     0.0452    c5     c6g       c6g    c5        -     c6gd  plaintext
m6i       intel  3500  large..32xlarge,metal                                                   4     0.048     c5     c6a       c6i    c6a       c6i   -     -
m6id      intel  3500  large..32xlarge,metal                                                   4     0.059325  c5     c6a       c6i    c6a       c6i   c6gd  -
m6idn     intel  3500  large..32xlarge,metal                                                   4     0.07956   c6in   c6in      c6in   c6in      c6in  c6gd  -
m6in      intel  3500  large..32xlarge,metal                                                   4     0.069615  c6in   c6in      c6in   c6in      c6in  -     -
m7a       amd    3700  medium..48xlarge,metal-48xl                                             4     0.05796   c5     c6a       c6a    c6a       c6a   -     -
m7g       aws    2600  medium..16xlarge,metal                                                  4     0.0408    c5     c7g       c6i    c5        c6gn  -     -
m7gd      aws    2600  medium..16xlarge,metal                                                  4     0.053394  c5     c7g       c6i    c5        c6gn  c6gd  -
m7i       intel  3200  large..24xlarge,48xlarge,metal-24xl,metal-48xl                          4     0.0504    c5     c6a       c6a    c6a       c6a   -     -
m7i-flex  intel  3200  large..16xlarge                                                         4     0.04788   c5     c7i-flex  c6i    c7i-flex  -     -     no-enclaves
m8a       amd    4500  medium..24xlarge,48xlarge,metal-24xl,metal-48xl                         4     0.06086   c8a    c8a       c6i    c8a       c6a   -     -
m8azn     amd    5000  medium..xlarge,3xlarge,6xlarge,12xlarge,24xlarge,metal-12xl,metal-24xl  4     0.10323   m8azn  m8azn     m8azn  m8azn     c8g   -     -
m8g       aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl                         4     0.04488   c5     c8g       c6a    c5        c8g   -     -
m8gb      aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl                         4     0.07275   c8gb   c8gb      c8gb   c8gb      c8gb  -     -
m8gd      aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl                         4     0.05766   c5     c8g       c6a    c5        c8g   c6gd  -
m8gn      aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl                         4     0.07275   c8gb   c7gn      r5b    c8gb      c8gb  -     -
m8i       intel  3900  large..96xlarge,metal-48xl,metal-96xl                                   4     0.05292   c8i    c8a       c6i    c8a       c6a   -     -
m8i-flex  intel  3900  large..16xlarge                                                         4     0.050275  c8i    c8i-flex  c6i    c8i-flex  -     -     no-enclaves
m8ib      intel  3900  large..96xlarge,metal-48xl,metal-96xl                                   4     0.08354   c8ib   c8ib      c6in   c8ib      c8ib  -     -
m8id      intel  3900  large..96xlarge,metal-48xl,metal-96xl                                   4     0.06526   c8i    c8a       c6i    c8a       c6a   c6gd  -
m8idb     intel  3900  large..96xlarge,metal-48xl,metal-96xl                                   4     0.09547   c8ib   c8ib      c6in   c8ib      c8ib  c6gd  -
m8idn     intel  3900  large..96xlarge,metal-48xl,metal-96xl                                   4     0.09547   c8ib   c6in      c8in   c8ib      c8ib  c6gd  -
m8in      intel  3900  large..96xlarge,metal-48xl,metal-96xl                                   4     0.08354   c8ib   c6in      c8in   c8ib      c8ib  -     -
m8ine     intel  3900  large..12xlarge                                                         4     0.104425  c8ib   c6in      c6i    c8ib      -     -     on-demand
m9g       aws    -     medium..24xlarge,48xlarge,metal-48xl                                    4     0.04892   c9g    c9g       c9g    c8gb      c6a   -     -
m9gd      aws    -     medium..24xlarge,48xlarge,metal-48xl                                    4     0.06285   c9g    c9g       c9g    c8gb      c6a   c6gd  -
t1        intel  -     micro                                                                   0.61  0.02      2x2    -         -      -         -     -     xen,plaintext
t2        intel  t2    nano..2xlarge                                                           4     0.0464    t2     -         -      -         -     -     xen,plaintext
t3        intel  2500  nano..2xlarge                                                           4     0.0416    t3     t3        t3     -         -     -     plaintext,no-enclaves
t3a       amd    2200  nano..2xlarge                                                           4     0.0376    t3     t3        t3     -         -     -     plaintext,no-enclaves
t4g       aws    2500  nano..2xlarge                                                           4     0.0336    t3     t3        t3     -         -     -     plaintext,no-enclaves
`;

/** What single types have otherwise than their family's row says. */
export const GENERAL_PURPOSE_EXCEPTIONS = `
m1.small          mib=1740 usd=0.044 eni=2x4
m1.medium         mib=3788 usd=0.087
m2.xlarge         vcpu=2 mib=17510
m2.2xlarge        vcpu=4 mib=35020
m2.4xlarge        vcpu=8 mib=70041
m3.medium         usd=0.067
m5.metal          branch=120
m5zn.metal        usd=4.3605
m6g.metal         usd=2.6112
m6gd.metal        usd=3.0664
m7i.metal-24xl    usd=5.32224
m8a.metal-24xl    usd=6.42682
m8azn.metal-12xl  usd=5.45054
m8azn.metal-24xl  usd=10.90109
m8g.metal-24xl    usd=4.73933
m8gb.metal-24xl   usd=14.80608 branch=0
m8gb.metal-48xl   branch=0
m8gd.metal-24xl   usd=6.0889
m8gn.medium       usd=0.0728
m8gn.metal-24xl   usd=7.403 branch=0
m8gn.metal-48xl   branch=0
m8ib.metal-48xl   usd=17.64365 branch=0
m8ib.metal-96xl   branch=0
m8idb.metal-48xl  usd=20.16326 branch=0
m8idb.metal-96xl  branch=0
m8idn.metal-48xl  usd=20.16326 branch=0
m8idn.metal-96xl  branch=0
m8in.metal-48xl   usd=17.64365 branch=0
m8in.metal-96xl   branch=0
m9g.metal-48xl    usd=10.3319
m9gd.metal-48xl   usd=13.27392
t1.micro          mib=627
t2.nano           mib=512 usd=0.0058 mhz=2400 eni=2x2
t2.micro          mib=1024 usd=0.0116 eni=2x2
t2.small          mib=2048 usd=0.023
t2.medium         vcpu=2 mib=4096 usd=0.0464 eni=3x6
t3.nano           vcpu=2 mib=512 usd=0.0052 eni=2x2 network=32 ebs=2085
t3.micro          vcpu=2 mib=1024 usd=0.0104 eni=2x2 network=64 ebs=2085
t3.small          vcpu=2 mib=2048 usd=0.0208 eni=3x4 network=128 ebs=2085
t3.medium         vcpu=2 mib=4096 usd=0.0416 eni=3x6 network=256 ebs=2085
t3a.nano          vcpu=2 mib=512 usd=0.0047 eni=2x2 network=32 ebs=2085
t3a.micro         vcpu=2 mib=1024 usd=0.0094 eni=2x2 network=64 ebs=2085
t3a.small         vcpu=2 mib=2048 usd=0.0188 eni=2x4 network=128 ebs=2085
t3a.medium        vcpu=2 mib=4096 usd=0.0376 eni=3x6 network=256 ebs=2085
t4g.nano          vcpu=2 mib=512 usd=0.0042 eni=2x2 network=32 ebs=2085
t4g.micro         vcpu=2 mib=1024 usd=0.0084 eni=2x2 network=64 ebs=2085
t4g.small         vcpu=2 mib=2048 usd=0.0168 eni=3x4 network=128 ebs=2085
t4g.medium        vcpu=2 mib=4096 usd=0.0336 eni=3x6 network=256 ebs=2085
`;
