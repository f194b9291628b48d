/** Compute optimized families: c and hpc. The columns are explained in family-table.ts. */
export const COMPUTE_OPTIMIZED = `
family    cpu    mhz   sizes                                                    gib    usd        eni   network   ebs   branch    efa       nvme  notes
c1        intel  -     medium,xlarge                                            0.85   0.065      c1    -         -     -         -         -     xen,plaintext
c3        intel  2800  large..8xlarge                                           1.875  0.0525     c5    c3        -     -         -         -     xen,plaintext
c4        intel  2900  large..8xlarge                                           1.875  0.04975    c5    c4        c4    -         -         -     xen,plaintext
c5        intel  c5    large..4xlarge,9xlarge,12xlarge,18xlarge,24xlarge,metal  2      0.0425     c5    c5        c5    c5        -         -     plaintext
c5a       amd    3300  large..24xlarge                                          2      0.0385     c5    c5a       c5a   c5        -         -     -
c5ad      amd    3300  large..24xlarge                                          2      0.043      c5    c5a       c5a   c5        -         c5ad  -
c5d       intel  c5    large..4xlarge,9xlarge,12xlarge,18xlarge,24xlarge,metal  2      0.048      c5    c5        c5    c5        -         c5d   plaintext
c5n       intel  3400  large..4xlarge,9xlarge,18xlarge,metal                    2.625  0.054      c5    c5n       c5    c5        1:0,36:1  -     -
c6a       amd    3600  large..48xlarge,metal                                    2      0.03825    c5    c6a       c6a   c6a       c6a       -     -
c6g       aws    2500  medium..16xlarge,metal                                   2      0.034      c5    c6g       c6g   c5        -         -     plaintext
c6gd      aws    2500  medium..16xlarge,metal                                   2      0.0384     c5    c6g       c6g   c5        -         c6gd  plaintext
c6gn      aws    2500  medium..16xlarge                                         2      0.0432     c5    c6gn      c6gn  c5        c6gn      -     -
c6i       intel  3500  large..32xlarge,metal                                    2      0.0425     c5    c6a       c6i   c6a       c6i       -     -
c6id      intel  3500  large..32xlarge,metal                                    2      0.0504     c5    c6a       c6i   c6a       c6i       c6gd  -
c6in      intel  3500  large..32xlarge,metal                                    2      0.0567     c6in  c6in      c6in  c6in      c6in      -     -
c7a       amd    3700  medium..48xlarge,metal-48xl                              2      0.05132    c5    c6a       c6a   c6a       c6a       -     -
c7g       aws    2600  medium..16xlarge,metal                                   2      0.29/8     c5    c7g       c6i   c5        c6gn      -     -
c7gd      aws    2600  medium..16xlarge,metal                                   2      2.903/64   c5    c7g       c6i   c5        c6gn      c6gd  -
c7gn      aws    2600  medium..16xlarge,metal                                   2      0.0624     c5    c7gn      r5b   c5        c6gn      -     no-enclaves
c7i       intel  3200  large..24xlarge,48xlarge,metal-24xl,metal-48xl           2      0.357/8    c5    c6a       c6a   c6a       c6a       -     -
c7i-flex  intel  3200  large..16xlarge                                          2      0.33915/8  c5    c7i-flex  c6i   c7i-flex  -         -     no-enclaves
c8a       amd    4500  medium..24xlarge,48xlarge,metal-24xl,metal-48xl          2      0.053885   c8a   c8a       c6i   c8a       c6a       -     -
c8g       aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl          2      0.03988    c5    c8g       c6a   c5        c8g       -     -
c8gb      aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl          2      0.05925    c8gb  c8gb      c8gb  c8gb      c8gb      -     -
c8gd      aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl          2      0.04899    c5    c8g       c6a   c5        c8g       c6gd  -
c8gn      aws    c8g   medium..24xlarge,48xlarge,metal-24xl,metal-48xl          2      0.05925    c8gb  c7gn      r5b   c8gb      c8gb      -     -
c8i       intel  3900  large..96xlarge,metal-48xl,metal-96xl                    2      0.046855   c8i   c8a       c6i   c8a       c6a       -     -
c8i-flex  intel  3900  large..16xlarge                                          2      0.04451    c8i   c8i-flex  c6i   c8i-flex  -         -     no-enclaves
c8ib      intel  3900  large..96xlarge,metal-48xl,metal-96xl                    2      0.06804    c8ib  c8ib      c6in  c8ib      c8ib      -     -
c8id      intel  3900  large..96xlarge,metal-48xl,metal-96xl                    2      0.05544    c8i   c8a       c6i   c8a       c6a       c6gd  -
c8in      intel  3900  large..96xlarge,metal-48xl,metal-96xl                    2      0.06804    c8ib  c6in      c8in  c8ib      c8ib      -     -
c8ine     intel  3900  large..12xlarge                                          2      0.08505    c8ib  c6in      c6i   c8ib      -         -     on-demand
c9g       aws    -     medium..24xlarge,48xlarge,metal-48xl                     2      0.04347    c9g   c9g       c9g   -         c6a       -     -
c9gd      aws    -     medium..24xlarge,48xlarge,metal-48xl                     2      0.0534     c9g   c9g       c9g   -         c6a       c6gd  -
hpc7g     aws    2600  4xlarge,8xlarge,16xlarge                                 8      0.1052     4x50  200000    2085  -         1         -     on-demand,no-enclaves
`;

/** What single types have otherwise than their family's row says. */
export const COMPUTE_OPTIMIZED_EXCEPTIONS = `
c1.medium        vcpu=2 mib=1740
c1.xlarge        vcpu=8 mib=7168
c4.large         usd=0.1
c4.8xlarge       vcpu=36 mib=61440 usd=1.591
c5n.9xlarge      mib=98304
c5n.18xlarge     mib=196608
c5n.metal        mib=196608
c6g.metal        usd=2.3066
c6gd.metal       usd=2.6051
c7g.medium       usd=0.0363
c7gd.medium      usd=0.0454
c7i.metal-24xl   usd=4.7124
c8a.metal-24xl   usd=5.69026
c8g.metal-24xl   usd=4.21133
c8gb.metal-24xl  usd=6.02928 branch=0
c8gb.metal-48xl  branch=0
c8gd.metal-24xl  usd=5.17334
c8gn.medium      usd=0.0593
c8gn.metal-24xl  usd=6.0293 branch=0
c8gn.metal-48xl  branch=0
c8i.metal-48xl   usd=9.89578
c8ib.metal-48xl  usd=14.37005 branch=0
c8ib.metal-96xl  branch=0
c8id.metal-48xl  usd=11.70893
c8in.metal-48xl  usd=14.37005
c9g.metal-48xl   usd=9.18086
c9gd.metal-48xl  usd=11.27808
hpc7g.8xlarge    mib=131072 usd=1.6832
hpc7g.16xlarge   mib=131072 usd=1.6832
`;
